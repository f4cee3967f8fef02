// Whole runs of the problems on images: against direct solves, Ceres, and what is known.
#include <gtest/gtest.h>

#include "tests/problems/loaded_problems.h"
#include "tests/problems/poisson_oracle.h"
#include "tests/problems/runs.h"
#include "tests/support/ceres_oracle.h"

namespace thallo::test {
namespace {

TEST(PoissonImageEditingRun, OneStepEqualsADirectSparseSolve) {
  const auto edit = run_in_float("poisson_image_editing", {{"size", 48}},
                                 {{"residual_tolerance", "1e-6"}, {"lIterations", "20000"}});
  EXPECT_LT(farthest_from_direct_solve(edit), 1e-4) << "of the value range, which is 1";
  EXPECT_EQ(edit.solution.solves.at(0).num_iterations, 1);
  EXPECT_LT(edit.solution.solves[0].num_linear_iterations, 1000) << "the tolerance ends it";
}

TEST(PoissonImageEditingRun, TakesTheSeamAway) {
  const auto edit = run("poisson_image_editing", {{"size", 32}}, {}, "cpu");
  expect_true_cost(edit);
  EXPECT_LT(metric(edit.report, "seam when edited"), 0.2 * metric(edit.report, "seam when pasted"));
  EXPECT_EQ(edit.report.images.size(), 5u);
}

// Linear when colors' jumps count squared: then a step with an exact solve is the minimum.
TEST(IntrinsicImageDecompositionRun, OfSquaresEndsWhereCeresEnds) {
  THALLO_REQUIRE_CERES();
  const Options options = {{"size", 16}, {"p", 2.0}};
  const Made start = make("intrinsic_image_decomposition", options);
  const CeresResult ceres = minimize_with_ceres(start.energy, start.instance.binding);
  const auto ours =
      run("intrinsic_image_decomposition", options,
          {{"nIterations", "1"}, {"lIterations", "2000"}, {"residual_tolerance", "1e-10"}}, "cpu");
  EXPECT_NEAR(ours.solution.initial_cost() / ceres.initial_cost, 1, 1e-9);
  EXPECT_NEAR(ours.solution.final_cost() / ceres.final_cost, 1, 1e-6);
}

}  // namespace
}  // namespace thallo::test
