// Magnitudes: what a rounding error is measured against.

#include "core/energy/rounded.h"

#include <gtest/gtest.h>

#include <vector>

#include "core/base/random.h"
#include "core/energy/evaluate/evaluator.h"
#include "tests/support/energies.h"

namespace thallo {
namespace {

TEST(Rounded, SumsAndProductsCarryMagnitudes) {
  const Rounded difference = Rounded(1000.5) - Rounded(1000);
  EXPECT_EQ(difference.value, 0.5);
  EXPECT_EQ(difference.magnitude, 2000.5);
  const Rounded product = Rounded(3, 10) * Rounded(-2, 7);
  EXPECT_EQ(product.value, -6);
  EXPECT_EQ(product.magnitude, 3 * 7 + 2 * 10);
}

TEST(Rounded, PowersOfTwoRoundNothingInProductsAndCountInSums) {
  EXPECT_EQ((Rounded::constant(-0.25) * Rounded(3, 10)).magnitude, 2.5);
  EXPECT_EQ((Rounded::constant(3) * Rounded(3, 10)).magnitude, 30 + 9);
  EXPECT_EQ((Rounded::constant(1) - Rounded(1e-9)).magnitude, 1 + 1e-9);
  EXPECT_EQ((Rounded::constant(1) - Rounded::constant(1)).magnitude, 2)
      << "another term may be added between the two";
}

TEST(Rounded, FunctionsCarryByTheirSlope) {
  EXPECT_DOUBLE_EQ(sqrt(Rounded(4, 100)).magnitude, 2 + 100 / 4.0);
  EXPECT_DOUBLE_EQ(sin(Rounded(0, 100)).magnitude, 100);
  EXPECT_DOUBLE_EQ(log(Rounded(1, 100)).magnitude, 100);
  EXPECT_DOUBLE_EQ((Rounded(1, 2) / Rounded(4, 8)).magnitude, 2 / 4.0 + 8 / 16.0);
  EXPECT_DOUBLE_EQ(pow(Rounded(2, 5), 3).magnitude, 8 + 12 * 5);
  EXPECT_EQ(sqrt(Rounded::factor(0)).magnitude, 0);
  EXPECT_EQ(sqrt(Rounded::factor(0)).value, 0);
  const Rounded between = mix(10, 14, Rounded(0.25, 100));
  EXPECT_EQ(between.value, 11);
  EXPECT_EQ(between.magnitude, 0.75 * 10 + 0.25 * 14 + 4 * 100);
}

// The bound itself, of an expression that cancels twice.
TEST(Rounded, BoundsWhatFloatMakesOfValueAndDerivative) {
  EnergyBuilder e("cancelling");
  const DimId N = e.dim("N");
  const auto X = e.unknown("X", {N});
  const auto A = e.array("A", {N});
  const auto i = e.domain(N);
  const Expr x = X(i), a = A(i);
  e.residual("r", (x - a) * (x * x - a * a));  // derivative (x² - a²) + (x - a) 2x
  const Energy energy = test::build(std::move(e));
  Random random(1);
  double worst = 0;
  for (int draw = 0; draw < 1000; ++draw) {
    const auto data = static_cast<float>(random.uniform(1, 100));
    const auto unknown = data * (1 + static_cast<float>(random.uniform(-1e-3, 1e-3)));
    const Binding binding = test::bind(
        energy, {{{"N", 1}}, {{"X", std::vector{unknown}}, {"A", std::vector{data}}}, {}, {}});
    const ResidualRow row = EnergyEvaluator(energy, binding).linearize(0, 0).front();
    const float difference = unknown - data;
    const float square = unknown * unknown - data * data;
    const float derivative = square + difference * 2 * unknown;
    const Rounded& partial = row.partials.front().value;
    const float value = difference * square;
    worst = std::max(
        worst, std::abs(static_cast<double>(value) - row.residual.value) / row.residual.magnitude);
    worst = std::max(worst,
                     std::abs(static_cast<double>(derivative) - partial.value) / partial.magnitude);
  }
  EXPECT_LT(worst, 4 * 6e-8);
  EXPECT_GT(worst, 1e-9) << "and is no larger than it need be";
}

}  // namespace
}  // namespace thallo
