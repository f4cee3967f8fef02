// Whole runs of the geometry problems, against Ceres and against what their input was made from.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "core/explore/verify/conformance.h"
#include "core/kernel/generate.h"
#include "core/kernel/lower.h"
#include "core/problem/choose_schedule.h"
#include "core/solve/ending.h"
#include "problems/pose_graph/initialize.h"
#include "problems/pose_graph/walk.h"
#include "tests/problems/loaded_problems.h"
#include "tests/problems/runs.h"
#include "tests/support/backend_test.h"
#include "tests/support/ceres_oracle.h"
#include "tests/support/ceres_pose_graph.h"
#include "tests/support/data.h"
#include "tests/support/loaded_constructs.h"
#include "tests/support/temp_dir.h"

namespace thallo::test {
namespace {

// Levenberg-Marquardt as Ceres', from the start of the first solve.
void expect_the_minimum_of_ceres(std::string_view problem, const Options& options) {
  auto start = make_instance(problem, options);
  ASSERT_TRUE(start) << start.error().message();
  EXPECT_LE(start->instance.binding.num_unknowns(start->energy), 2000);
  const CeresResult ceres = minimize_with_ceres(start->energy, start->instance.binding);
  const auto ours = run(problem, options,
                        {{"solver", "lm"},
                         {"preconditioner", "block_jacobi"},
                         {"nIterations", "200"},
                         {"lIterations", "1000"},
                         {"q_tolerance", "1e-6"},
                         {"function_tolerance", "1e-10"}},
                        "cpu");
  const SolverSummary& first = ours.solution.solves.front();
  EXPECT_NEAR(first.initial_cost / ceres.initial_cost, 1, 1e-9);
  EXPECT_LT(first.final_cost, ceres.final_cost * (1 + 1e-3));
}

TEST(ArapMeshDeformationRun, EndsWhereCeresEnds) {
  THALLO_REQUIRE_CERES();
  // 92 vertices, 552 unknowns.
  expect_the_minimum_of_ceres("arap_mesh_deformation", {{"detail", 2}, {"solves", 3}});
}

TEST(ArapMeshDeformationRun, BringsTheHandlesToTheirGoals) {
  const auto star = run("arap_mesh_deformation", {{"detail", 2}}, {}, "cpu");
  ASSERT_EQ(star.solution.solves.size(), 10u);
  EXPECT_LT(star.report.metrics.at(0).value, 8) << "percent of the diagonal";
  EXPECT_LT(star.report.metrics.at(1).value, 20) << "percent of an edge's length";
  EXPECT_EQ(star.report.meshes.size(), 2u);
  EXPECT_EQ(star.report.tables.at(0).rows.size(), 10u);
}

TEST(CotangentMeshSmoothingRun, TakesNoiseOffTheTorus) {
  const auto torus = run("cotangent_mesh_smoothing", {}, {}, "cpu");
  const std::vector<Metric>& metrics = torus.report.metrics;
  ASSERT_EQ(metrics.size(), 4u);
  EXPECT_GT(metrics[0].value, 40) << "degrees across an edge; 4.8 without noise";
  EXPECT_LT(metrics[1].value, 0.25 * metrics[0].value);
  EXPECT_LT(metrics[3].value, 0.8 * metrics[2].value) << "distance from the torus";
}

// A hub with many spokes, on a cone that is smooth but for its tip.
TEST(CotangentMeshSmoothingRun, LeavesAFanThatIsSmoothAsItIs) {
  const TempDir dir;
  constexpr int Spokes = 20'000;
  std::string text = "v 0 0 0.2\n";
  for (int i = 0; i < Spokes; ++i) {
    const double angle = 2 * std::numbers::pi * i / Spokes;
    text += fmt::format("v {} {} 0\n", std::cos(angle), std::sin(angle));
  }
  for (int i = 0; i < Spokes; ++i) text += fmt::format("f 1 {} {}\n", i + 2, (i + 1) % Spokes + 2);
  const auto fan =
      run("cotangent_mesh_smoothing", {{"file", dir.write("fan.obj", text).string()}}, {}, "cpu");
  const SolverSummary& solve = fan.solution.solves.front();
  EXPECT_LE(solve.final_cost, solve.initial_cost);
  EXPECT_NE(ending_of(solve), Ending::Diverged) << solve.why();
  EXPECT_THAT(fan.report.warnings, testing::IsEmpty());
}

TEST(CotangentMeshSmoothingRun, NamesAnEdgeOfThreeTriangles) {
  const TempDir dir;
  const std::string book =
      "OFF\n5 3\n0 0 0\n1 0 0\n0 1 0\n0 -1 0\n0 0 1\n3 0 1 2\n3 1 0 3\n3 0 1 4\n";
  const auto smoothed =
      run("cotangent_mesh_smoothing", {{"file", dir.write("book.off", book).string()}}, {}, "cpu");
  EXPECT_THAT(smoothed.report.warnings,
              testing::ElementsAre("the edge 0-1 has 3 triangles, of which two are kept"));
}

TEST(FaceFittingRun, EndsWhereCeresEnds) {
  THALLO_REQUIRE_CERES();
  const Options options = {{"across", 9}, {"shapes", 10}};
  const Made start = make("face_fitting", options);
  const CeresResult ceres = minimize_with_ceres(start.energy, start.instance.binding);
  const auto face = run("face_fitting", options, {}, "cpu");
  EXPECT_NEAR(face.solution.initial_cost() / ceres.initial_cost, 1, 1e-9);
  EXPECT_NEAR(face.solution.final_cost() / ceres.final_cost, 1, 1e-6);
}

TEST(FaceFittingRun, FindsTheFaceToItsNoise) {
  const auto face = run_by_default("face_fitting", {});
  // Two coordinates of half a pixel; 24 weights take a little of it.
  EXPECT_NEAR(metric(face.report, "reprojection error after"), 0.5 * std::sqrt(2), 0.05);
  EXPECT_LT(metric(face.report, "distance from the true face after"),
            0.1 * metric(face.report, "distance from the true face before"));
  EXPECT_EQ(face.report.tables.at(0).rows.size(), 24u);
}

TEST(PoseGraphRun, EndsWhereCeresEndsByItsOwnManifold) {
  THALLO_REQUIRE_CERES();
  for (const int dimension : {2, 3}) {
    const pose_graph::Walk walk =
        pose_graph::make_walk({.dimension = dimension, .rounds = 8, .poses_a_round = 16});
    const CeresResult ceres = minimize_pose_graph_with_ceres(walk.graph);
    const auto ours = run(
        "pose_graph", {{"dimension", dimension}, {"rounds", 8}, {"poses_a_round", 16}}, {}, "cpu");
    EXPECT_NEAR(ours.solution.initial_cost() / ceres.initial_cost, 1, 1e-9) << dimension;
    EXPECT_NEAR(ours.solution.final_cost() / ceres.final_cost, 1, 1e-5) << dimension;
    EXPECT_LT(ours.report.metrics.at(4).value, ours.report.metrics.at(3).value)
        << "distance from the truth";
    expect_true_cost(ours);
    EXPECT_EQ(ours.instance.binding.num_unknowns(ours.file.energy), 128 * (dimension == 2 ? 3 : 6));
  }
}

TEST(PoseGraphRun, IsHardlyDampedWhereAStepIsSolvedExactly) {
  const auto first_radius = [](const SolverTexts& texts) {
    const Options small = {{"rounds", 3}, {"poses_a_round", 8}};
    return run_by_default("pose_graph", small, texts)
        .solution.solves.front()
        .iterations.front()
        .radius;
  };
  EXPECT_EQ(first_radius({{"linear_solver", "sparse_cholesky"}}), 1e8);
  EXPECT_EQ(first_radius({{"linear_solver", "pcg"}}), 1e4);
  EXPECT_EQ(first_radius({{"linear_solver", "pcg"}, {"trust_region_radius", "1e6"}}), 1e6);
}

// The start of the file is far from the truth.
TEST(PoseGraphRun, WarnsOfALocalMinimumThatChordsAvoid) {
  THALLO_REQUIRE_DATA(file, "pose_graphs/MIT.g2o.xz");
  const Options options = {{"file", file.string()}, {"initialize", "none"}};
  const auto as_it_is = run_by_default("pose_graph", options, {{"nIterations", "60"}});
  EXPECT_THAT(as_it_is.report.warnings,
              testing::ElementsAre(testing::HasSubstr("initialize=chordal")));
  for (const std::string initialize : {"spanning-tree", "chordal", "auto"}) {
    const auto ours =
        run_by_default("pose_graph", {{"file", file.string()}, {"initialize", initialize}});
    EXPECT_NEAR(ours.solution.final_cost(), 20.5816, 1e-3) << initialize;
    EXPECT_TRUE(ours.solution.solves.front().converged()) << initialize;
    EXPECT_THAT(ours.report.warnings, testing::IsEmpty()) << initialize;
    EXPECT_EQ(ours.instance.labels.back().second, initialize == "auto" ? "chordal" : initialize);
  }
}

TEST(PoseGraphRun, ExpectsAChiSquaredOfOneWhereTheNoiseIsAsTold) {
  for (const int dimension : {2, 3}) {
    const auto walk = run_by_default("pose_graph", {{"dimension", dimension}});
    const PoseGraph start = pose_graph::make_walk({.dimension = dimension}).graph;
    EXPECT_NEAR(pose_graph::cost_of_edges(start) / walk.solution.initial_cost(), 1, 1e-9);
    EXPECT_NEAR(metric(walk.report, "chi-squared per degree of freedom"), 1, 0.2) << dimension;
    EXPECT_THAT(walk.report.warnings, testing::IsEmpty()) << dimension;
  }
}

TEST(ProcrustesAlignmentRun, FindsTheMotionThatMadeTheTargets) {
  const Options motion = {{"around", 6}, {"angle_y", 20.0}, {"angle_z", -30.0}, {"noise", 0.0}};
  const auto exact = run("procrustes_alignment", motion, {}, QuickBackend);
  expect_true_cost(exact, 1);
  EXPECT_LT(metric(exact.report, "rotation error"), 1e-6) << "degrees";
  EXPECT_LT(metric(exact.report, "translation error"), 1e-6);
  EXPECT_GT(metric(exact.report, "distance before (root mean square)"), 10);

  const auto noisy = run_by_default("procrustes_alignment", {});
  // Three coordinates of standard deviation 0.2 %.
  EXPECT_NEAR(metric(noisy.report, "distance after (root mean square)"), 0.2 * std::sqrt(3), 0.02);
  EXPECT_LT(metric(noisy.report, "rotation error"), 0.1);
}

TEST(ProcrustesAlignmentRun, AlignsThePublishedPoints) {
  THALLO_REQUIRE_DATA(file, "opt_thallo/raptor_simplify2k.off");
  const auto raptor = run_in_float("procrustes_alignment", {{"file", file.string()},
                                                            {"subdivisions", 1},
                                                            {"noise", 0.0},
                                                            {"missing", 0.0},
                                                            {"shift", 0.0}});
  EXPECT_EQ(raptor.instance.labels.at(0).second, "6036");
  EXPECT_LE(raptor.solution.solves.at(0).num_iterations, 10);
  EXPECT_LT(metric(raptor.report, "rotation error"), 1e-3);
}

const Options FewFrames = {{"frames", 4}, {"width", 24}, {"matches", 200}};

void expect_better_poses(const Report& report) {
  for (const std::string what : {"rotation error", "translation error"}) {
    EXPECT_LT(metric(report, what), 0.25 * metric(report, what + " before")) << what;
  }
  EXPECT_GT(metric(report, "matching pixels"), metric(report, "matching pixels before"));
}

// Finds faults of terms that sample depths at moved points, and of their derivatives in float.
TEST(BundleFusionRun, FindsThePosesOfARoom) {
  const auto room = run("bundle_fusion", FewFrames, {}, QuickBackend);
  expect_true_cost(room);
  expect_better_poses(room.report);
  EXPECT_EQ(room.solution.solves.size(), 5u);
  EXPECT_EQ(room.report.meshes.at(1).mesh.positions.size(), 4u * 24 * 18);
  expect_better_poses(run_in_float("bundle_fusion", FewFrames).report);
}

TEST(BundleFusionRun, FindsThePosesByMatchesAlone) {
  Options sparse = FewFrames;
  sparse.set("dense", false);
  const auto room = run("bundle_fusion", sparse, {}, QuickBackend);
  expect_true_cost(room);
  expect_better_poses(room.report);
}

// The poses and their product, JtJ of both terms: stored by the schedule of the text, gathered by
// opt, recomputed by default.
TEST(BundleFusionRun, ComputesItsOperatorUnderEverySchedule) {
  const Options options = {{"frames", 3}, {"width", 16}, {"matches", 20}};
  const Made room = make("bundle_fusion", options);
  const auto file = room.problem->energy(*complete_options(room.problem->options(), options));
  ASSERT_TRUE(file) << file.error().message();
  const ProgramOptions Damped{SolverKind::LevenbergMarquardt, block_jacobi_preconditioner(),
                              pcg_solver()};
  for (const char* name : {"file", "opt", "default"}) {
    const auto schedule = choose_schedule(name, *file, loaded_constructs());
    ASSERT_TRUE(schedule) << schedule.error().message();
    const auto plan = make_plan(file->energy, *schedule, loaded_constructs());
    ASSERT_TRUE(plan) << plan.error().message();
    const auto executable = test::interpreted(file->energy, *plan, Damped);
    const ConformanceErrors errors =
        OperatorTruth(file->energy, room.instance.binding).errors_of(*executable, 1);
    EXPECT_LT(errors.worst(), 1e-12) << name << ": " << errors.text();
  }
}

TEST(BundleFusionRun, FindsThePosesOfARecording) {
  THALLO_REQUIRE_DATA(folder, "rgbd/7scenes");
  expect_better_poses(
      run_in_float("bundle_fusion", {{"folder", folder.string()}, {"frames", 6}}).report);
}

}  // namespace
}  // namespace thallo::test
