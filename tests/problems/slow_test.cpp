// The published runs on real data, in full.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>

#include "core/problem/driver.h"
#include "tests/problems/loaded_problems.h"
#include "tests/support/data.h"

namespace thallo::test {
namespace {

Run run(std::string_view problem, RunRequest request) {
  request.backend = "cpu";
  auto result = solve_problem(**loaded_problems().lookup(problem), request);
  if (!result) throw std::runtime_error(result.error().message());
  return *std::move(result);
}

// The optima that Ceres converges to, and the problem's own defaults.
TEST(BundleAdjustmentInTheLarge, ReachesTheOptimum) {
  const std::pair<const char*, double> optima[] = {
      {"bal/dubrovnik-problem-16-22106-pre.txt.bz2", 1.80339035e4},
      {"bal/ladybug-problem-49-7776-pre.txt.bz2", 1.33443184e4},
      {"bal/trafalgar-problem-21-11315-pre.txt.bz2", 3.03786461e4}};
  for (const auto& [name, optimum] : optima) {
    THALLO_REQUIRE_DATA(file, name);
    RunRequest request;
    request.options = {{"file", file.string()}};
    request.double_precision = true;
    const auto scene = run("bundle_adjustment", request);
    EXPECT_LT(scene.solution.final_cost(), optimum * 1.0001) << name;
    EXPECT_GT(scene.solution.final_cost(), optimum * 0.999) << name;
  }
}

TEST(BundleAdjustmentInTheLarge, IsReachedInFloatToo) {
  THALLO_REQUIRE_DATA(file, "bal/ladybug-problem-49-7776-pre.txt.bz2");
  RunRequest request;
  request.options = {{"file", file.string()}};
  request.double_precision = false;
  EXPECT_LT(run("bundle_adjustment", request).solution.final_cost(), 1.33443184e4 * 1.0005);
}

TEST(PublishedImageWarping, BringsTheCatsHandlesToTheirGoals) {
  THALLO_REQUIRE_DATA(file, "opt_thallo/cat512.png");
  RunRequest request;
  request.options = {{"file", file.string()}};
  const auto cat = run("image_warping", request);
  ASSERT_EQ(cat.solution.solves.size(), 19u);
  for (const SolverSummary& solve : cat.solution.solves) {
    EXPECT_EQ(solve.num_iterations, 8);
    EXPECT_EQ(solve.num_linear_iterations, 800);
    EXPECT_LT(solve.final_cost, solve.initial_cost);
  }
  EXPECT_LT(cat.report.metrics.at(1).value, 0.5) << "pixels from the goal, the worst handle";
}

}  // namespace
}  // namespace thallo::test
