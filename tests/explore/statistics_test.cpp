// Statistics against values that were computed by hand.
#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <vector>

#include "core/explore/measure/statistics.h"

namespace thallo {
namespace {

using testing::DoubleEq, testing::DoubleNear, testing::ElementsAre, testing::Optional;

constexpr double Infinity = std::numeric_limits<double>::infinity();

using Values = std::vector<double>;

TEST(Quantile, IsLinearBetweenSortedValues) {
  const Values values = {40, 10, 30, 20};  // at positions 0, 1, 2, 3
  EXPECT_DOUBLE_EQ(quantile(values, 0), 10);
  EXPECT_DOUBLE_EQ(quantile(values, 0.25), 17.5);
  EXPECT_DOUBLE_EQ(quantile(values, 1.0 / 3), 20);
  EXPECT_DOUBLE_EQ(quantile(values, 0.9), 37);
  EXPECT_DOUBLE_EQ(quantile(values, 1), 40);
  EXPECT_DOUBLE_EQ(quantile(Values{7}, 0.3), 7);
}

TEST(Median, IsInTheMiddle) {
  EXPECT_DOUBLE_EQ(median(Values{3, 1, 2}), 2);
  EXPECT_DOUBLE_EQ(median(Values{4, 1, 3, 2}), 2.5);
  EXPECT_DOUBLE_EQ(median(Values{1, 2, Infinity}), 2);
  EXPECT_DOUBLE_EQ(median(Values{1, 2, Infinity, Infinity}), Infinity);
  EXPECT_DOUBLE_EQ(quantile(Values{1, Infinity, Infinity}, 0.7), Infinity);
}

TEST(LogHistogram, CountsAllValuesInBinsOfEqualRatio) {
  const Histogram histogram = log_histogram(Values{1, 2, 9, 10, 11, 99, 100, 1000}, 3);
  EXPECT_THAT(histogram.edges, ElementsAre(1, DoubleNear(10, 1e-12), DoubleNear(100, 1e-11), 1000));
  EXPECT_EQ(histogram.counts[0] + histogram.counts[1] + histogram.counts[2], 8u);
  EXPECT_EQ(histogram.counts[0], histogram.edges[1] <= 10 ? 3u : 4u);
  const Histogram ends = log_histogram(Values{0.3, 0.7, 3, 0.3}, 4);
  EXPECT_EQ(ends.edges.front(), 0.3);
  EXPECT_EQ(ends.edges.back(), 3);
  EXPECT_THAT(ends.counts, ElementsAre(2, 1, 0, 1));
  const Histogram equal = log_histogram(Values{5, 5, 5}, 10);
  EXPECT_THAT(equal.edges, ElementsAre(5, 5));
  EXPECT_THAT(equal.counts, ElementsAre(3));
  EXPECT_TRUE(log_histogram({}, 10).counts.empty());
}

TEST(LinearHistogram, HasBinsOfEqualWidth) {
  const Histogram histogram = linear_histogram(Values{1, 1.5, 2, 4, 5}, 4);
  EXPECT_THAT(histogram.edges, ElementsAre(1, 2, 3, 4, 5));
  EXPECT_THAT(histogram.counts, ElementsAre(2, 1, 0, 2));
}

// Of 1 and e the logarithms are 0 and 1: standard deviation sqrt(1/2), interquartile range 1/2.
// Silverman's width is 0.9 (0.5 / 1.34) 2^(-1/5), and between the two, at ln x = 1/2, the density
// is that of a normal curve at half a unit from its middle.
TEST(LogDensity, IsASumOfNormalCurvesThatIntegratesToOne) {
  const double width = 0.9 * (0.5 / 1.34) * std::pow(2.0, -0.2);
  Density density = log_density(Values{1, std::exp(1.0)}, 5);
  ASSERT_EQ(density.at.size(), 5u);
  EXPECT_THAT(std::log(density.at.front()), DoubleNear(-3 * width, 1e-12));
  EXPECT_THAT(std::log(density.at[2]), DoubleNear(0.5, 1e-12));
  EXPECT_THAT(std::log(density.at.back()), DoubleNear(1 + 3 * width, 1e-12));
  const double normal =
      std::exp(-0.125 / (width * width)) / (width * std::sqrt(2 * std::acos(-1.0)));
  EXPECT_THAT(density.density[2], DoubleNear(normal, 1e-12));
  // The logarithms are evenly spread from 0 to 1: far from both ends the density is one.
  Values many;
  for (int i = 0; i < 20'000; ++i) many.push_back(std::exp(i / 19'999.0));
  density = log_density(many, 101);
  EXPECT_THAT(std::log(density.at[50]), DoubleNear(0.5, 1e-9));
  EXPECT_THAT(density.density[50], DoubleNear(1, 1e-3));
  density = log_density(Values{1e-5, 2e-5, 2e-5, 5e-4, 3e-2}, 400);
  double integral = 0;
  for (std::size_t i = 1; i < density.at.size(); ++i) {
    integral += 0.5 * (density.density[i] + density.density[i - 1]) *
                std::log(density.at[i] / density.at[i - 1]);
  }
  EXPECT_NEAR(integral, 1, 2e-3);
  // The quartiles of 1 2 2 2 2 4 are equal, so the width comes from the standard deviation.
  density = log_density(Values{1, 2, 2, 2, 2, 4}, 3);
  const double deviation = std::sqrt(2 * std::log(2.0) * std::log(2.0) / 5);
  EXPECT_THAT(std::log(density.at.front()),
              DoubleNear(-3 * 0.9 * deviation * std::pow(6.0, -0.2), 1e-12));
  EXPECT_TRUE(log_density(Values{3, 3, 3}, 10).at.empty());
}

TEST(SpearmanRho, DependsOnTheOrderAlone) {
  EXPECT_THAT(spearman_rho(Values{1, 2, 3, 4}, Values{1, 10, 100, 1e9}), Optional(DoubleEq(1)));
  EXPECT_THAT(spearman_rho(Values{1, 2, 3, 4}, Values{5, 4, 3, -Infinity}), Optional(DoubleEq(-1)));
  // d = 0 1 -1 0: 1 - 6 * 2 / (4 * 15).
  EXPECT_THAT(spearman_rho(Values{1, 2, 3, 4}, Values{1, 3, 2, 4}), Optional(DoubleEq(0.8)));
  // Ranks 1 2.5 2.5 4 and 1 2 3.5 3.5, about their mean 2.5: -1.5 0 0 1.5 and -1.5 -0.5 1 1. The
  // products sum up to 3.75, the squares to 4.5 each.
  EXPECT_THAT(spearman_rho(Values{1, 2, 2, 3}, Values{10, 20, 30, 30}),
              Optional(DoubleNear(3.75 / 4.5, 1e-15)));
  EXPECT_EQ(spearman_rho({}, {}), std::nullopt);
  EXPECT_EQ(spearman_rho(Values{1}, Values{2}), std::nullopt);
  EXPECT_EQ(spearman_rho(Values{1, 2, 3}, Values{5, 5, 5}), std::nullopt);
}

}  // namespace
}  // namespace thallo
