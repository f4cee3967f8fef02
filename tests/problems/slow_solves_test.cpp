// The published runs on real data, in full.
#include <gtest/gtest.h>

#include <utility>

#include "tests/problems/loaded_problems.h"
#include "tests/problems/poisson_oracle.h"
#include "tests/problems/runs.h"
#include "tests/support/ceres_oracle.h"
#include "tests/support/data.h"

namespace thallo::test {
namespace {

// The optima that Ceres converges to, and the problem's own defaults.
TEST(BundleAdjustmentInTheLarge, ReachesTheOptimum) {
  const std::pair<const char*, double> optima[] = {
      {"bal/dubrovnik-problem-16-22106-pre.txt.bz2", 1.80339035e4},
      {"bal/ladybug-problem-49-7776-pre.txt.bz2", 1.33443184e4},
      {"bal/trafalgar-problem-21-11315-pre.txt.bz2", 3.03786461e4}};
  for (const auto& [name, optimum] : optima) {
    THALLO_REQUIRE_DATA(file, name);
    const auto scene = run("bundle_adjustment", {{"file", file.string()}}, {}, "cpu");
    EXPECT_LT(scene.solution.final_cost(), optimum * 1.0001) << name;
    EXPECT_GT(scene.solution.final_cost(), optimum * 0.999) << name;
  }
}

TEST(BundleAdjustmentInTheLarge, IsReachedInFloatToo) {
  THALLO_REQUIRE_DATA(file, "bal/ladybug-problem-49-7776-pre.txt.bz2");
  const auto scene = run_in_float("bundle_adjustment", {{"file", file.string()}});
  EXPECT_LT(scene.solution.final_cost(), 1.33443184e4 * 1.0005);
}

TEST(PublishedImageWarping, BringsTheCatsHandlesToTheirGoals) {
  THALLO_REQUIRE_DATA(file, "opt_thallo/cat512.png");
  const auto cat = run_by_default("image_warping", {{"file", file.string()}});
  ASSERT_EQ(cat.solution.solves.size(), 19u);
  for (const SolverSummary& solve : cat.solution.solves) {
    EXPECT_EQ(solve.num_iterations, 8);
    EXPECT_EQ(solve.num_linear_iterations, 800);
    EXPECT_LT(solve.final_cost, solve.initial_cost);
  }
  EXPECT_LT(cat.report.metrics.at(1).value, 0.5) << "pixels from the goal, the worst handle";
}

TEST(PublishedPoissonImageEditing, EqualsADirectSparseSolve) {
  THALLO_REQUIRE_DATA(folder, "opt_thallo");
  const auto edit =
      run_in_float("poisson_image_editing", {{"file", (folder / "poisson0.png").string()},
                                             {"source", (folder / "poisson1.png").string()},
                                             {"mask", (folder / "poisson_mask.png").string()}});
  EXPECT_LT(farthest_from_direct_solve(edit), 1e-4) << "of the value range, which is 1";
}

// Nearly 2,000 depths; the default runs do it with fewer.
TEST(ShapeFromShading, EndsNoHigherThanCeres) {
  THALLO_REQUIRE_CERES();
  const Options options = {{"size", 44}};
  const Made start = make("shape_from_shading", options);
  ASSERT_LE(start.instance.binding.num_unknowns(start.energy), 2000);
  const CeresResult ceres =
      minimize_with_ceres(start.energy, start.instance.binding, {.max_iterations = 100});
  const auto ours =
      run("shape_from_shading", options, {{"nIterations", "100"}, {"lIterations", "200"}}, "cpu");
  print_beside_ceres("shape from shading", ceres, ours.solution);
  EXPECT_NEAR(ours.solution.initial_cost() / ceres.initial_cost, 1, 1e-9);
  EXPECT_LT(ours.solution.final_cost(), ceres.final_cost * (1 + 1e-3));
}

TEST(RubberWhale, IsFollowedToAThirdOfAPixel) {
  THALLO_REQUIRE_DATA(folder, "optical_flow/RubberWhale");
  const auto flow = run_in_float("optical_flow", {{"method", "robust"},
                                                  {"file", (folder / "frame10.png").string()},
                                                  {"second", (folder / "frame11.png").string()},
                                                  {"truth", (folder / "flow10.flo.xz").string()}});
  EXPECT_LT(metric(flow.report, "average endpoint error"), 0.35) << "pixels";
}

}  // namespace
}  // namespace thallo::test
