// Whole runs of the problems on images: against direct solves, Ceres, and what is known.
#include <gtest/gtest.h>

#include "tests/problems/loaded_problems.h"
#include "tests/problems/poisson_oracle.h"
#include "tests/problems/runs.h"
#include "tests/support/ceres_oracle.h"
#include "tests/support/data.h"

namespace thallo::test {
namespace {

// Of costs where unknowns come back in float, as they were bound.
constexpr double FloatPictures = 1e-6;

TEST(PoissonImageEditingRun, EqualsADirectSparseSolveAndTakesTheSeamAway) {
  for (const char* preconditioner : {"unset", "none", "multigrid"}) {
    const auto edit =
        run_in_float("poisson_image_editing", {{"size", 48}}, {{"preconditioner", preconditioner}});
    EXPECT_LT(farthest_from_direct_solve(edit), 1e-4) << "of the value range, which is 1";
    const SolverSummary& solve = edit.solution.solves.at(0);
    EXPECT_TRUE(solve.converged()) << preconditioner;
    EXPECT_EQ(solve.iterations.front().radius, 1e10) << "the energy is linear";
  }
  const auto edit = run("poisson_image_editing", {{"size", 32}}, {}, QuickBackend);
  expect_true_cost(edit);
  EXPECT_LT(metric(edit.report, "seam when edited"), 0.2 * metric(edit.report, "seam when pasted"));
  EXPECT_EQ(edit.report.images.size(), 5u);
}

TEST(PoissonImageEditingRun, TakesThePublishedCountsWhereTheyAreWanted) {
  const Made made = make("poisson_image_editing", {{"size", 20}});
  for (const bool is_published : {true, false}) {
    RunRequest request;
    request.is_published = is_published;
    const SolverOptions options = solver_options(made.instance, request).value();
    EXPECT_EQ(options == SolverOptions::until_converged(), !is_published);
    if (is_published) EXPECT_EQ(options.num_iterations * options.num_linear_iterations, 100);
  }
}

// So small a town has windows of a pixel, which no flat area helps to find.
TEST(DeconvolutionRun, TakesTheBlurAway) {
  for (const char* problem : {"deconvolution", "spatially_varying_deconvolution"}) {
    const auto town = run(problem, {{"size", 48}, {"kernel_size", 7}}, {}, "cpu");
    EXPECT_EQ(town.solution.solves.size(), 16u);
    expect_true_cost(town, FloatPictures);
    EXPECT_GT(metric(town.report, "peak signal-to-noise ratio after"),
              metric(town.report, "peak signal-to-noise ratio before") + 3)
        << problem;
  }
}

TEST(DeconvolutionRun, OneStepEndsWhereCeresEnds) {
  THALLO_REQUIRE_CERES();
  for (const char* problem : {"deconvolution", "spatially_varying_deconvolution"}) {
    const Options options = {{"size", 16}, {"kernel_size", 5}, {"solves", 1}};
    const Made start = make(problem, options);
    const CeresResult ceres = minimize_with_ceres(start.energy, start.instance.binding);
    const auto ours =
        run(problem, options, {{"lIterations", "2000"}, {"residual_tolerance", "1e-10"}}, "cpu");
    EXPECT_NEAR(ours.solution.initial_cost() / ceres.initial_cost, 1, 1e-9) << problem;
    EXPECT_NEAR(ours.solution.final_cost() / ceres.final_cost, 1, 1e-6) << problem;
  }
}

// With the published three linear iterations. The published results are no minima of the energies:
// their differences are those to the next pixel. Most of the time compiles convolutions.
TEST(DeconvolutionRun, ComesCloseToThePublishedResults) {
  THALLO_REQUIRE_DATA(folder, "opt_thallo");
  const auto difference_of = [&](const char* problem, const char* file) {
    const auto step = run_in_float(problem, {{"file", (folder / file).string()}});
    EXPECT_EQ(step.solution.solves.size(), 1u);
    EXPECT_EQ(step.solution.solves.front().num_linear_iterations, 3);
    return metric(step.report, "difference from the published result after");
  };
  EXPECT_LT(difference_of("deconvolution", "simple_proximal/b1.tif.xz"), 1.1) << "4.6 before";
  EXPECT_LT(difference_of("spatially_varying_deconvolution", "sv_deconv/b1.tif.xz"), 2)
      << "5.2 before";
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

TEST(IntrinsicImageDecompositionRun, LowersTheCost) {
  const auto picture = run("intrinsic_image_decomposition", {{"size", 32}}, {}, QuickBackend);
  expect_true_cost(picture, FloatPictures);
  EXPECT_LT(picture.solution.final_cost(), 0.8 * picture.solution.initial_cost());
}

// Depths around the shield are missing. Where neighbors are a centimeter apart the surface may
// bend, which changes on the way.
TEST(ShapeFromShadingRun, EndsNoHigherThanCeres) {
  THALLO_REQUIRE_CERES();
  const Options options = {{"size", 20}};
  const Made start = make("shape_from_shading", options);
  const CeresResult ceres = minimize_with_ceres(start.energy, start.instance.binding,
                                                {.max_iterations = 50, .function_tolerance = 1e-6});
  const auto ours = run("shape_from_shading", options, {{"lIterations", "100"}}, "cpu");
  EXPECT_NEAR(ours.solution.initial_cost() / ceres.initial_cost, 1, 1e-9);
  EXPECT_LT(ceres.final_cost, 0.7 * ceres.initial_cost);
  EXPECT_LT(ours.solution.final_cost(), ceres.final_cost * (1 + 1e-3));
}

TEST(ShapeFromShadingRun, FindsTheDetailsOfARelief) {
  const auto relief =
      run("shape_from_shading", {{"size", 32}}, {{"nIterations", "20"}}, QuickBackend);
  expect_true_cost(relief, FloatPictures);
  EXPECT_LT(relief.solution.final_cost(), 0.7 * relief.solution.initial_cost());
  EXPECT_LT(metric(relief.report, "error of normals"),
            metric(relief.report, "error of normals at the start"));
}

TEST(ShapeAndShadingRun, FindsTheDetailsAndTheLightOfARelief) {
  const auto relief = run("shape_and_shading", {{"size", 64}}, {}, "cpu");
  expect_true_cost(relief, FloatPictures);
  EXPECT_LT(relief.solution.final_cost(), 0.3 * relief.solution.initial_cost());
  EXPECT_LT(metric(relief.report, "error of normals"),
            0.9 * metric(relief.report, "error of normals at the start"));
}

TEST(ShapeAndShadingRun, EndsAtOneCostOnCpuAndInterpreter) {
  const Options options = {{"size", 20}};
  const auto compiled = run("shape_and_shading", options, {}, "cpu");
  const auto interpreted = run("shape_and_shading", options, {}, "interpreter");
  EXPECT_NEAR(interpreted.solution.final_cost() / compiled.solution.final_cost(), 1, 1e-3);
}

TEST(OpticalFlowRun, FollowsWhatMoves) {
  for (const char* method : {"published", "robust"}) {
    const auto flow = run("optical_flow", {{"size", 48}, {"method", method}}, {}, QuickBackend);
    expect_true_cost(flow, FloatPictures);
    EXPECT_LT(metric(flow.report, "average endpoint error"),
              0.7 * metric(flow.report, "average endpoint error of no motion"))
        << method;
  }
}

}  // namespace
}  // namespace thallo::test
