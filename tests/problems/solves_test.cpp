// Whole runs of the problems: options in, report out.
#include <gmock/gmock.h>

#include <cmath>
#include <filesystem>
#include <vector>

#include "tests/problems/loaded_problems.h"
#include "tests/problems/runs.h"
#include "tests/support/ceres_oracle.h"
#include "tests/support/temp_dir.h"

namespace thallo::test {
namespace {

TEST(CurveFitRun, FindsTheParametersTheSpectrumWasMadeFrom) {
  const auto fit =
      run("curve_fit", {{"noise", 0.0}, {"points", 100}}, {{"function_tolerance", "1e-20"}});
  const HostArray& b = fit.instance.binding.field(fit.file.energy.find_field("b"));
  const std::vector<double> truth = {98.0, 0.0105, 100.0, 67.0, 23.0, 72.0, 115.0, 18.0};
  for (std::size_t k = 0; k < truth.size(); ++k) {
    EXPECT_NEAR(b.value(k) / truth[k], 1, 1e-7) << "b" << k + 1;
  }
  EXPECT_LT(metric(fit.report, "residual sum of squares"), 1e-10);
}

TEST(CurveFitRun, ReportsAPlotAndATable) {
  const auto fit = run("curve_fit", {});
  expect_true_cost(fit);
  EXPECT_TRUE(fit.report.shortfall.empty()) << fit.report.shortfall;
  // The noise that was put in.
  EXPECT_NEAR(metric(fit.report, "residual standard deviation"), 2.5, 0.4);
  ASSERT_EQ(fit.report.tables.size(), 1u);
  EXPECT_EQ(fit.report.tables[0].rows.size(), 8u);
  for (const auto& row : fit.report.tables[0].rows) {
    EXPECT_EQ(row.size(), fit.report.tables[0].columns.size());
  }
  const TempDir folder;
  const auto files = write_report(fit.report, folder.path());
  ASSERT_TRUE(files) << files.error().message();
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "fit.png"));
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "parameters.csv"));
}

TEST(BundleAdjustmentRun, ReachesTheNoiseOfTheObservations) {
  const auto scene =
      run("bundle_adjustment", {{"cameras", 5}, {"points", 60}, {"track_length", 4.0}},
          {{"nIterations", "25"}});
  expect_true_cost(scene);
  EXPECT_GT(metric(scene.report, "reprojection error before"), 5);
  // With n observations of 2 numbers and m unknowns of which 7 are the choice of coordinates, the
  // expected sum of squares is sigma² (2 n - m + 7).
  const auto n = static_cast<double>(scene.instance.binding.num_residuals(scene.file.energy));
  const auto m = static_cast<double>(scene.instance.binding.num_unknowns(scene.file.energy));
  const double expected = 0.5 * std::sqrt((n - m + 7) / (n / 2));
  EXPECT_NEAR(metric(scene.report, "reprojection error after"), expected, 0.25 * expected);
  EXPECT_EQ(scene.report.meshes.size(), 2u);
  EXPECT_EQ(scene.report.images.size(), 1u);
}

TEST(BundleAdjustmentRun, TakesProblemsWithoutObservationsAndSingularOnes) {
  const TempDir folder;
  const auto nothing = folder.write("nothing.txt", "0 0 0\n");
  EXPECT_EQ(run("bundle_adjustment", {{"file", nothing.string()}}).solution.final_cost(), 0);
  const auto unseen = folder.write("unseen.txt", "1 1 0\n0\n0\n0\n0\n0\n-5\n500\n0\n0\n1\n2\n3\n");
  auto scene = run("bundle_adjustment", {{"file", unseen.string()}});
  EXPECT_EQ(scene.solution.final_cost(), 0);
  const HostArray& points = scene.instance.binding.field(scene.file.energy.find_field("points"));
  EXPECT_EQ(points.to_doubles(), (std::vector<double>{1, 2, 3})) << "nothing moves it";
  // One observation says two things about twelve numbers.
  const auto file =
      folder.write("one.txt", "1 1 1\n0 0 3 4\n0\n0\n0\n0\n0\n-5\n500\n0\n0\n0\n0\n0\n");
  scene = run("bundle_adjustment", {{"file", file.string()}});
  EXPECT_DOUBLE_EQ(scene.solution.initial_cost(), 12.5);
  EXPECT_LT(scene.solution.final_cost(), 1e-12);
}

TEST(ImageWarpingRun, BlendsTheHandlesToTheirGoals) {
  const auto fish = run("image_warping", {{"size", 16}, {"solves", 3}},
                        {{"nIterations", "3"}, {"lIterations", "25"}});
  expect_true_cost(fish);
  ASSERT_EQ(fish.solution.solves.size(), 3u);
  for (const SolverSummary& solve : fish.solution.solves) {
    EXPECT_LT(solve.final_cost, 0.1 * solve.initial_cost);
  }
  EXPECT_LT(metric(fish.report, "largest distance of a handle from its goal"), 0.1);
  EXPECT_EQ(fish.report.images.size(), 3u);
  EXPECT_EQ(fish.report.tables.at(0).rows.size(), 3u);

  // Inactive pixels are where they were.
  const auto offsets =
      fish.instance.binding.field(fish.file.energy.find_field("Offset")).to_doubles();
  const auto places =
      fish.instance.binding.field(fish.file.energy.find_field("UrShape")).to_doubles();
  const auto mask = fish.instance.binding.field(fish.file.energy.find_field("Mask")).to_doubles();
  for (std::size_t i = 0; i < mask.size(); ++i) {
    if (mask[i] == 0) continue;
    EXPECT_EQ(offsets[2 * i], places[2 * i]);
    EXPECT_EQ(offsets[2 * i + 1], places[2 * i + 1]);
  }
}

// At most 2,000 unknowns, the same start (the handles a quarter of their way), both to
// function_tolerance 1e-10. Levenberg-Marquardt, as Ceres: plain Gauss-Newton steps end in a cycle
// of two points here when they are exact.
TEST(ImageWarpingRun, EndsWhereCeresEnds) {
  THALLO_REQUIRE_CERES();
  const Options options = {{"size", 25}, {"solves", 4}};
  auto start = make_instance("image_warping", options);
  ASSERT_TRUE(start) << start.error().message();
  EXPECT_LE(start->instance.binding.num_unknowns(start->energy), 2000);
  const CeresResult ceres = minimize_with_ceres(start->energy, start->instance.binding);

  const auto ours = run("image_warping", options,
                        {{"nIterations", "200"},
                         {"lIterations", "1000"},
                         {"q_tolerance", "1e-6"},
                         {"function_tolerance", "1e-10"}},
                        "cpu");
  const SolverSummary& first = ours.solution.solves.front();
  EXPECT_NEAR(first.initial_cost / ceres.initial_cost, 1, 1e-9);
  EXPECT_NEAR(first.final_cost / ceres.final_cost, 1, 1e-3);
}

}  // namespace
}  // namespace thallo::test
