#include "problems/curve_fit/models.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "problems/curve_fit/energy.h"
#include "problems/curve_fit/fit_data.h"
#include "problems/curve_fit/nist_data.h"
#include "tests/support/data.h"

namespace thallo::curve_fit {
namespace {

double value(std::string_view model, std::vector<double> b, std::vector<double> x) {
  const Model* found = find_model(model);
  EXPECT_NE(found, nullptr) << model;
  EXPECT_EQ(static_cast<int>(b.size()), found->num_parameters);
  EXPECT_EQ(static_cast<int>(x.size()), found->num_predictors);
  return found->value(Numbered<double>(b), Numbered<double>(x));
}

TEST(CurveFitModels, ComputeTheirFormulas) {
  EXPECT_DOUBLE_EQ(value("exponential_rise", {3, 0.5}, {2}), 3 * (1 - std::exp(-1.0)));
  EXPECT_DOUBLE_EQ(value("inverse_square_rise", {5, 2}, {3}), 5 * (1 - 1.0 / 16));
  EXPECT_DOUBLE_EQ(value("inverse_root_rise", {5, 1.5}, {1}), 2.5);
  EXPECT_DOUBLE_EQ(value("hyperbola", {8, 0.5}, {2}), 4);
  EXPECT_DOUBLE_EQ(value("power", {2, 3}, {2}), 16);
  EXPECT_DOUBLE_EQ(value("logistic", {6, 2, 1}, {2}), 3);
  EXPECT_DOUBLE_EQ(value("richards", {8, 2, 1, 0.5}, {2}), 2);
  EXPECT_DOUBLE_EQ(value("gaussian", {6, 2, 1}, {1}), 3);
  EXPECT_DOUBLE_EQ(value("bennett", {6, 1, 0.5}, {2}), 6.0 / 9);
  EXPECT_DOUBLE_EQ(value("cubic_over_cubic", {1, 2, 3, 4, 1, 2, 3}, {2}), 49.0 / 35);
  EXPECT_DOUBLE_EQ(value("quadratic_over_quadratic", {1, 2, 3, 1, 2}, {2}), 17.0 / 11);
  EXPECT_DOUBLE_EQ(value("quadratic_over_quadratic_monic", {2, 3, 4, 5}, {2}), 20.0 / 17);
  EXPECT_DOUBLE_EQ(value("linear_and_arctan", {1, 2, 3, 1}, {4}), 1 - 8 - 0.25);
  EXPECT_DOUBLE_EQ(value("nelson", {9, 2, 0}, {3, 7}), 3);
  EXPECT_DOUBLE_EQ(value("exponential_reciprocal", {2, 6, 1}, {2}), 2 * std::exp(2.0));
  EXPECT_DOUBLE_EQ(value("exponential_over_linear", {0, 1, 2}, {3}), 1.0 / 7);
  EXPECT_DOUBLE_EQ(value("two_exponentials", {1, 2, 3, 0, 0}, {9}), 6);
  EXPECT_DOUBLE_EQ(value("three_exponentials", {1, 0, 2, 0, 3, 0}, {9}), 6);
  EXPECT_DOUBLE_EQ(value("two_peaks", {1, 0, 10, 5, 2, 100, 5, 1}, {5}), 111);
  EXPECT_NEAR(value("three_cycles", {1, 2, 3, 4, 5, 6, 8, 7, 9}, {6}), 1 - 2 - 5 + 0 - 9, 1e-12);
}

TEST(CurveFitModels, AreSortedUsedAndMakeValidEnergies) {
  EXPECT_TRUE(std::ranges::is_sorted(models(), {}, &Model::name));
  std::set<std::string_view> used;
  for (const NistSet& set : nist_sets()) {
    EXPECT_NE(find_model(set.model), nullptr) << set.name << " wants " << set.model;
    used.insert(set.model);
  }
  EXPECT_EQ(used.size(), models().size()) << "equal formulas are written once";
  for (const Model& model : models()) {
    const auto energy = make_energy(model);
    ASSERT_TRUE(energy) << model.name << ": " << energy.error().message();
    ASSERT_EQ(energy->unknowns().size(), 1u);
    EXPECT_EQ(energy->field(energy->unknowns()[0]).name, "b");
    ASSERT_EQ(energy->groups().size(), 1u);
    EXPECT_EQ(energy->groups()[0].residuals.size(), 1u);
    EXPECT_EQ(static_cast<int>(energy->fields().size()), 2 + model.num_predictors);
  }
}

// The formulas, the reader and NIST's arithmetic agree.
TEST(FitData, ReproducesTheCertifiedResidualSumsFromTheStartThatIsAskedFor) {
  THALLO_REQUIRE_DATA(folder, "nist");
  for (const NistSet& set : nist_sets()) {
    const auto path = folder / (std::string(set.name) + ".dat");
    const auto nist = read_nist(path);
    const auto fit = load_nist_fit(path, 1);
    ASSERT_TRUE(fit) << fit.error().message();
    const double sum = fit->residual_sum_of_squares(fit->expected);
    // Lanczos1 is exact to the 14 digits of its data: its sum of 1e-25 is that of its rounding.
    const double tolerance = set.name == "Lanczos1" ? 1e-20 : 1e-8 * nist->residual_sum_of_squares;
    EXPECT_NEAR(sum, nist->residual_sum_of_squares, tolerance) << set.name;
  }
  THALLO_REQUIRE_DATA(file, "nist/Misra1a.dat");
  EXPECT_EQ(load_nist_fit(file, 1)->start, (std::vector<double>{500, 0.0001}));
  EXPECT_EQ(load_nist_fit(file, 2)->start, (std::vector<double>{250, 0.0005}));
}

TEST(FitData, GeneratesASpectrumWithNoiseFromItsSeed) {
  const FitData a = generate_spectrum({.num_points = 100, .seed = 7});
  const FitData b = generate_spectrum({.num_points = 100, .seed = 7});
  const FitData c = generate_spectrum({.num_points = 100, .seed = 8});
  EXPECT_EQ(a.response, b.response);
  EXPECT_NE(a.response, c.response);
  EXPECT_EQ(a.num_observations(), 100);
  const FitData fit = generate_spectrum({.num_points = 100000, .noise = 2.5});
  const double variance = fit.residual_sum_of_squares(fit.expected) / fit.num_observations();
  // The sample variance of n normal numbers has the relative standard deviation sqrt(2 / n).
  EXPECT_NEAR(variance / (2.5 * 2.5), 1.0, 5 * std::sqrt(2.0 / 100000));
  const FitData exact = generate_spectrum({.num_points = 50, .noise = 0});
  EXPECT_EQ(exact.residual_sum_of_squares(exact.expected), 0);
}

}  // namespace
}  // namespace thallo::curve_fit
