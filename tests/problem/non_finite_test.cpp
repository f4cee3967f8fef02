#include "core/problem/non_finite.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "core/energy/builder.h"

namespace thallo {
namespace {

using Values = std::vector<double>;

constexpr double Infinity = std::numeric_limits<double>::infinity();

class NonFinite : public testing::Test {
 protected:
  NonFinite()
      : builder_("test"),
        n_(builder_.dim("N")),
        x_(builder_.unknown("x", {n_})),
        i_(builder_.domain(n_, "i")) {}

  // What is found where x is this; "" for nothing.
  std::string find(const Values& x, Precision precision = Precision::Double,
                   const Values& array = {}) {
    const Energy energy = std::move(builder_).build().value();
    Binding binding(energy);
    EXPECT_TRUE(binding.set_extent("N", static_cast<std::int64_t>(x.size())));
    EXPECT_TRUE(binding.set_field("x", x));
    if (!array.empty()) {
      EXPECT_TRUE(binding.set_field("a", array));
    }
    return find_non_finite(energy, binding, precision, {}).value_or("");
  }
  // The same of derivatives.
  std::string find_derivative(const Values& x) {
    const Energy energy = std::move(builder_).build().value();
    Binding binding(energy);
    EXPECT_TRUE(binding.set_extent("N", static_cast<std::int64_t>(x.size())));
    EXPECT_TRUE(binding.set_field("x", x));
    EXPECT_EQ(find_non_finite(energy, binding, Precision::Double, {}), std::nullopt);
    return find_non_finite_derivative(energy, binding, Precision::Double, {}).value_or("");
  }

  EnergyBuilder builder_;
  DimId n_;
  FieldHandle x_;
  IndexExpr i_;
};

TEST_F(NonFinite, NamesTheOperationAndWhatItReads) {
  builder_.residual("fine", x_(i_)[0]);
  builder_.residual("fit", {x_(i_)[0], 1 + log(x_(i_)[0])});
  EXPECT_EQ(find({1, 2, 0}),
            "fit[1] at (i) = (2) is -inf, since log(x(i)) is -inf, where x(2) is 0");
}

TEST_F(NonFinite, NamesTheInputThatIsNotFinite) {
  const FieldHandle a = builder_.array("a", {n_});
  builder_.residual("fit", x_(i_)[0] - 2 * a(i_)[0]);
  EXPECT_EQ(find({1, 2}, Precision::Double, {3, Infinity}),
            "fit at (i) = (1) is -inf, since a(1) is inf");
}

TEST_F(NonFinite, LooksIntoSumsAndIntermediates) {
  const auto k = builder_.domain(n_, "k");
  const auto t = builder_.intermediate("T", std::vector{k}, Expr(1 / x_(k)[0]));
  const auto j = builder_.domain(n_, "j");
  builder_.residual("all", x_(i_)[0] * builder_.sum(std::vector{j}, t(j)[0]));
  EXPECT_EQ(find({1, 2, 0}), "all at (i) = (0) is inf, since 1 / x(k) is inf, where x(2) is 0");
}

TEST_F(NonFinite, KnowsWhatFloatHolds) {
  const FieldHandle a = builder_.array("a", {n_});
  builder_.residual("fit", x_(i_)[0] - a(i_)[0]);
  EXPECT_EQ(find({1, 2}, Precision::Float, {3, 1e39}),
            "fit at (i) = (1) is -1e+39, since a(1) is 1e+39, beyond the range of float (3.4e38); "
            "the option 'double' holds it");
}

TEST_F(NonFinite, KnowsThatResidualsAreSquared) {
  builder_.residual("fit", x_(i_)[0]);
  EXPECT_EQ(find({1, 1e30}, Precision::Float),
            "fit at (i) = (1) is 1e+30, whose square is beyond 3.4e+38");
}

TEST_F(NonFinite, FindsNothingInWhatIsFinite) {
  builder_.residual("fit", select(x_(i_)[0] > 0, log(x_(i_)[0]), 0));
  EXPECT_EQ(find({1, 0}), "");
}

TEST_F(NonFinite, NamesTheDerivativeAndTheOperation) {
  builder_.residual("fine", x_(i_)[0]);
  builder_.residual("fit", {x_(i_)[0], 2 - 3 * sqrt(x_(i_)[0])});
  EXPECT_EQ(
      find_derivative({1, 2, 0}),
      "fit[1] at (i) = (2) has the derivative -inf by x(2), because of sqrt(x(i)), where x(2) "
      "is 0");
}

TEST_F(NonFinite, LooksIntoSumsForDerivatives) {
  const auto k = builder_.domain(n_, "k");
  builder_.residual("all", x_(i_)[0] * builder_.sum(std::vector{k}, sqrt(x_(k)[0])));
  EXPECT_EQ(
      find_derivative({1, 0, 2}),
      "all at (i) = (0) has the derivative inf by x(1), because of sqrt(x(k)), where x(1) is 0");
}

TEST_F(NonFinite, MindsNoDerivativeByExcludedUnknowns) {
  builder_.residual("fit", sqrt(x_(i_)[0]));
  builder_.exclude(x_, {i_}, x_(i_)[0] <= 0);
  EXPECT_EQ(find_derivative({1, 0, 2}), "");
}

TEST_F(NonFinite, FindsNoDerivativeInWhatIsFinite) {
  builder_.residual("fit", select(x_(i_)[0] > 0, sqrt(x_(i_)[0]), 0));
  EXPECT_EQ(find_derivative({1, 0, 2}), "");
}

}  // namespace
}  // namespace thallo
