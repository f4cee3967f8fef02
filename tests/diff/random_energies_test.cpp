// Derivatives of hundreds of random energies: symbolic against dual numbers, both against
// differences.

#include <gtest/gtest.h>

#include <cmath>
#include <iostream>
#include <random>

#include "core/diff/check.h"
#include "core/diff/symbolic_jacobian.h"
#include "core/energy/evaluate/evaluator.h"
#include "tests/support/energy_features.h"

namespace thallo {
namespace {

using test::FeatureCoverage;

using Values = std::vector<double>;

// The largest |a - b| relative to the companion of the entry.
double worst_error(const Values& a, const Values& b, const Values& companion) {
  EXPECT_EQ(a.size(), b.size());
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double difference = std::abs(a[i] - b[i]);
    if (!(difference <= 1e-14)) worst = std::max(worst, difference / companion[i]);
    if (std::isnan(difference)) return difference;
  }
  return worst;
}

Values random_vector(std::int64_t size, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  Values values(static_cast<std::size_t>(size));
  for (double& value : values) value = uniform(random);
  return values;
}

TEST(RandomEnergies, SymbolicDerivativesAreThoseOfDualNumbers) {
  FeatureCoverage coverage;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const RandomEnergy random = make_random_energy(seed);
    coverage.add(random);
    SCOPED_TRACE(random.text());
    const Linearization truth = EnergyEvaluator(random.energy, random.binding).linearize();
    const Linearization symbolic = SymbolicJacobian(random.energy, random.binding).linearize();
    const Values p = random_vector(truth.layout().size(), seed);
    const double tolerance = 1e-10;
    EXPECT_EQ(symbolic.residuals(), truth.residuals());
    EXPECT_LT(worst_error(symbolic.jtf(), truth.jtf(), truth.jtf_magnitude()), tolerance);
    EXPECT_LT(worst_error(symbolic.diagonal(), truth.diagonal(), truth.diagonal()), tolerance);
    EXPECT_LT(worst_error(symbolic.jtjp(p), truth.jtjp(p), truth.jtjp_magnitude(p)), tolerance);
    for (std::size_t space = 0; space < truth.layout().spaces().size(); ++space)
      EXPECT_LT(
          worst_error(symbolic.blocks(space), truth.blocks(space), truth.blocks_magnitude(space)),
          tolerance);
    if (HasFailure()) break;
  }
  if (!HasFailure()) {
    EXPECT_TRUE(coverage.missing().empty());
  }
  std::cout << coverage.table();
}

TEST(RandomEnergies, DualNumbersAreTheLimitsOfDifferences) {
  std::int64_t checked = 0;
  std::int64_t skipped = 0;
  double worst = 0;
  for (std::uint64_t seed = 1000; seed < 1060; ++seed) {
    const RandomEnergy random = make_random_energy(seed);
    SCOPED_TRACE(random.text());
    EnergyEvaluator evaluator(random.energy, random.binding);
    const CheckResult result = check_jacobian(random.energy, random.binding,
                                              [&](std::size_t group, std::int64_t position) {
                                                return evaluator.linearize(group, position);
                                              },
                                              {.max_points_per_group = 4, .seed = seed});
    EXPECT_LT(result.worst_relative_error, 1e-6) << result.brief();
    checked += result.num_checked;
    skipped += result.num_skipped;
    worst = std::max(worst, result.worst_relative_error);
    if (HasFailure()) break;
  }
  EXPECT_GT(checked, 1000);
  EXPECT_EQ(skipped, 0) << "values are drawn clear of switching points";
  std::cout << checked << " entries checked, worst relative error " << worst << "\n";
}

TEST(RandomEnergies, AreAFunctionOfTheirSeedWithModerateValues) {
  EXPECT_EQ(make_random_energy(7).text(), make_random_energy(7).text());
  EXPECT_NE(make_random_energy(7).text(), make_random_energy(8).text());
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const RandomEnergy random = make_random_energy(seed);
    for (const double r : EnergyEvaluator(random.energy, random.binding).residuals())
      ASSERT_LT(std::abs(r), 1e3) << random.text();
  }
}

}  // namespace
}  // namespace thallo
