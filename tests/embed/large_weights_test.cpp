// Residuals that outweigh others by far, as constraints do: damping holds steps along them.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/embed/energy_solver.h"
#include "core/solve/ending.h"

namespace thallo {
namespace {

// Three data, and a weight that makes the first two equal.
struct Equality {
  std::vector<double> x = {0, 0, 0}, data = {0, 1, 5};
  std::vector<int> first = {0}, second = {1};

  SolverSummary solve(double weight, const SolverOptions& options) {
    auto solver = EnergySolver::load_text(R"(
local N, U = Dims("N", "U")
Inputs { X = Unknown(double, {N}), A = Array(double, {N}), w = Param(double),
         first = Sparse({U}, {N}), second = Sparse({U}, {N}) }
local n, u = N(), U()
Residuals { fit = X(n) - A(n), equal = w * (X(first(u)) - X(second(u))) })",
                                          "equality.lua", {.backend = "interpreter"});
    EXPECT_TRUE(solver) << solver.error().message();
    solver->bind("X", x).bind("A", data).bind("first", first).bind("second", second);
    solver->bind("w", weight);
    auto summary = solver->solve(options);
    EXPECT_TRUE(summary) << summary.error().message();
    return *summary;
  }
};

TEST(LargeWeights, HoldNoStepFromTheOptimum) {
  for (const double weight : {1e2, 1e5, 1e6, 1e7}) {
    for (const char* linear_solver : {"dense", "sparse_cholesky", "pcg"}) {
      SolverOptions options = SolverOptions::until_converged();
      options.linear_solver = linear_solver;
      Equality equality;
      const SolverSummary summary = equality.solve(weight, options);
      SCOPED_TRACE(std::string(linear_solver) + ": " + summary.brief());
      EXPECT_EQ(ending_of(summary), Ending::Converged);
      EXPECT_NEAR(summary.final_cost, 0.25, 2e-5);
      EXPECT_NEAR(equality.x[0], 0.5, 1e-3);
      EXPECT_NEAR(equality.x[2], 5, 1e-6);
    }
  }
}

// Rounding makes the matrix singular with so little damping: its step is zero, and says nothing.
TEST(LargeWeights, AFactorizationThatFailsIsNoConvergence) {
  for (const double tolerance : {1e-6, 0.0}) {
    SolverOptions options = SolverOptions::until_converged();
    options.linear_solver = "dense";
    options.trust_region_radius = 1e16;
    options.function_tolerance = tolerance;
    Equality equality;
    const SolverSummary summary = equality.solve(1e8, options);
    ASSERT_GT(summary.num_rejected, 0);
    EXPECT_NEAR(equality.x[2], 5, 1e-6) << summary.brief();
    EXPECT_LT(summary.final_cost, 0.5001) << summary.brief();
  }
}

// A line over seconds since 1970, 50 of them.
TEST(LargeWeights, ALineFarFromTheOriginIsFitted) {
  std::vector<double> line = {0, 0}, t, y;
  for (int i = 0; i < 50; ++i) {
    t.push_back(3.45e5 + i);
    y.push_back(3e-3 * i + 5 + 0.01 * ((i * 7) % 5 - 2));
  }
  auto solver = EnergySolver::load_text(R"(
local N, U = Dims("N", "U")
Inputs { p = Unknown(double2, {U}), t = Array(double, {N}), y = Array(double, {N}) }
local n = N()
Residuals { fit = p(0)(0) * t(n) + p(0)(1) - y(n) })",
                                        "line.lua", {.backend = "interpreter"});
  ASSERT_TRUE(solver) << solver.error().message();
  solver->bind("p", line).bind("t", t).bind("y", y).bind("U", 1);
  const auto summary = solver->solve();
  ASSERT_TRUE(summary) << summary.error().message();
  EXPECT_EQ(ending_of(*summary), Ending::Converged);
  EXPECT_NEAR(line[0], 3e-3, 2e-4) << summary->brief();
}

}  // namespace
}  // namespace thallo
