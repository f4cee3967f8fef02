// Whole runs of the problems that deform meshes.
#include <gtest/gtest.h>

#include "tests/problems/loaded_problems.h"
#include "tests/problems/runs.h"

namespace thallo::test {
namespace {

// Both compute in double, and no test ends a solve early.
void expect_equal_costs_on_cpu_and_interpreter(std::string_view problem, const Options& options) {
  const Run interpreted = run(problem, options, {}, "interpreter");
  const Run compiled = run(problem, options, {}, "cpu");
  EXPECT_EQ(interpreted.solution.solves.size(), compiled.solution.solves.size());
  EXPECT_NEAR(interpreted.solution.final_cost() / compiled.solution.final_cost(), 1, 1e-3);
  expect_true_cost(compiled, 1e-6);
}

TEST(EmbeddedMeshDeformationRun, EndsAtOneCostOnCpuAndInterpreterAndTwistsTheBar) {
  expect_equal_costs_on_cpu_and_interpreter("embedded_mesh_deformation",
                                            {{"across", 2}, {"solves", 6}});
  const auto bar = run_by_default("embedded_mesh_deformation", {{"across", 4}});
  EXPECT_EQ(bar.solution.solves.size(), 31u);
  EXPECT_EQ(bar.solution.solves.at(0).num_iterations, 5);
  EXPECT_LT(metric(bar.report, "largest distance of a handle from its goal"), 10);
  EXPECT_LT(metric(bar.report, "distance of the matrices from rotations (root mean square)"), 0.5);
}

TEST(VolumetricMeshDeformationRun, EndsAtOneCostOnCpuAndInterpreterAndBendsTheQueen) {
  expect_equal_costs_on_cpu_and_interpreter("volumetric_mesh_deformation",
                                            {{"cells_x", 2}, {"cells_y", 8}, {"cells_z", 2}});
  // The last step moves the last digits at most, so that rounding says whether halving it would end
  // the solve before.
  const auto queen =
      run_by_default("volumetric_mesh_deformation", {}, {{"max_step_halvings", "0"}});
  EXPECT_EQ(queen.solution.solves.at(0).num_iterations, 20);
  EXPECT_EQ(queen.solution.solves.at(0).num_linear_iterations, 20 * 60);
  EXPECT_NEAR(queen.solution.solves.at(0).final_cost, 2.15919694166735, 1e-13);
  EXPECT_LT(metric(queen.report, "largest distance of a pulled node from its goal"), 10);
  EXPECT_LT(metric(queen.report, "change of the lattice's edge lengths (root mean square)"), 40);
}

TEST(RobustNonrigidAlignmentRun, EndsAtOneCostOnCpuAndInterpreterAndFindsTheArch) {
  expect_equal_costs_on_cpu_and_interpreter("robust_nonrigid_alignment",
                                            {{"around", 8}, {"targets", 1}, {"solves", 1}});
  const auto arch = run_by_default("robust_nonrigid_alignment", {{"around", 10}, {"targets", 3}});
  const auto of = [&](const char* name) { return metric(arch.report, name); };
  EXPECT_LT(of("distance from the scan after (root mean square)"),
            0.25 * of("distance from the scan before (root mean square)"));
  EXPECT_LT(of("distance from the truth after (root mean square)"),
            0.2 * of("distance from the truth before (root mean square)"));
  EXPECT_GT(of("correspondences that are trusted"), 90);
  EXPECT_LT(of("wrong correspondences that are trusted"), 40);
}

}  // namespace
}  // namespace thallo::test
