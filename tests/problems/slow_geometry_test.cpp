// The geometry problems on real meshes and pose graphs, in full.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <utility>

#include "core/base/io/g2o.h"
#include "core/problem/driver.h"
#include "tests/problems/loaded_problems.h"
#include "tests/support/ceres_pose_graph.h"
#include "tests/support/data.h"

namespace thallo::test {
namespace {

Run run_published(std::string_view problem, RunRequest request) {
  request.backend = "cpu";
  auto result = solve_problem(**loaded_problems().lookup(problem), request);
  if (!result) throw std::runtime_error(result.error().message());
  return *std::move(result);
}

TEST(PublishedArapMeshDeformation, BringsTheArmadillosHandlesToTheirGoals) {
  THALLO_REQUIRE_DATA(file, "opt_thallo/small_armadillo.ply");
  RunRequest request;
  request.options = {{"file", file.string()}, {"subdivisions", 1}};
  const auto armadillo = run_published("arap_mesh_deformation", request);
  EXPECT_EQ(armadillo.solution.solves.size(), 10u);
  EXPECT_LT(armadillo.report.metrics.at(0).value, 10) << "percent of the diagonal";
}

TEST(PublishedCotangentMeshSmoothing, SmoothsTheHead) {
  THALLO_REQUIRE_DATA(file, "opt_thallo/head.ply");
  RunRequest request;
  request.options = {{"file", file.string()}};
  const auto head = run_published("cotangent_mesh_smoothing", request);
  EXPECT_EQ(head.solution.solves.at(0).num_iterations, 5);
  EXPECT_EQ(head.solution.solves.at(0).num_linear_iterations, 125);
  EXPECT_LT(head.report.metrics.at(1).value, head.report.metrics.at(0).value) << "roughness";
}

// The oracle evaluates the definition of the energy, which takes its time here.
TEST(CotangentMeshSmoothing, EndsWhereCeresEnds) {
  THALLO_REQUIRE_CERES();
  const Options torus = {{"around", 12}, {"noise", 0.01}};
  auto start = make_instance("cotangent_mesh_smoothing", torus);
  ASSERT_TRUE(start) << start.error().message();
  const CeresResult ceres = minimize_with_ceres(start->energy, start->instance.binding);
  RunRequest request;
  request.options = torus;
  request.double_precision = true;
  request.solver_options = {{"solver", "lm"},
                            {"nIterations", "200"},
                            {"lIterations", "1000"},
                            {"function_tolerance", "1e-10"}};
  const auto ours = run_published("cotangent_mesh_smoothing", request);
  EXPECT_NEAR(ours.solution.initial_cost() / ceres.initial_cost, 1, 1e-9);
  EXPECT_LT(ours.solution.final_cost(), ceres.final_cost * (1 + 1e-3));
}

TEST(PublishedPoseGraphs, EndWhereCeresEnds) {
  THALLO_REQUIRE_CERES();
  for (const std::string name : {"sphere2500", "parking-garage", "input_M3500_g2o", "intel"}) {
    THALLO_REQUIRE_DATA(file, "pose_graphs/" + name + ".g2o.xz");
    const auto graph = read_g2o(file);
    ASSERT_TRUE(graph) << graph.error().message();
    const CeresResult ceres = minimize_pose_graph_with_ceres(*graph);

    RunRequest request;
    request.options = {{"file", file.string()}};
    const auto ours = run_published("pose_graph", request);
    std::int64_t steps = 0;
    std::int64_t linear = 0;
    for (const SolverSummary& solve : ours.solution.solves) {
      steps += solve.num_iterations;
      linear += solve.num_linear_iterations;
    }
    fmt::print(
        "{:18} start {:.6e}  Ceres {:.6e} ({} steps, {:.2f} s)  ours {:.6e} ({} steps, {} "
        "PCG, {:.2f} s)\n",
        name, ceres.initial_cost, ceres.final_cost, ceres.iterations, ceres.seconds,
        ours.solution.final_cost(), steps, linear, ours.solution.total_seconds);
    std::fflush(stdout);
    EXPECT_TRUE(ours.solution.double_precision);
    EXPECT_NEAR(ours.solution.initial_cost() / ceres.initial_cost, 1, 1e-9) << name;
    EXPECT_LT(ours.solution.final_cost(), ceres.final_cost * 1.001) << name;
  }
}

}  // namespace
}  // namespace thallo::test
