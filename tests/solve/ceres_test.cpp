// Our minima and those of Ceres, from the same start.
#include <gtest/gtest.h>

#include "core/backend/backend.h"
#include "core/kernel/generate.h"
#include "core/kernel/lower.h"
#include "core/schedule/plan.h"
#include "core/solve/solver.h"
#include "tests/solve/toy_energies.h"
#include "tests/support/backend_test.h"
#include "tests/support/ceres_oracle.h"

namespace thallo {
namespace {

using test::Toy;

double our_minimum(const Toy& toy, const LinearSolver* linear_solver) {
  SolverOptions o;
  o.solver = SolverKind::LevenbergMarquardt;
  o.linear_solver = linear_solver->name();
  o.num_iterations = 200;
  o.num_linear_iterations = 200;
  o.function_tolerance = 1e-12;
  const auto executable = test::interpreted(toy.energy, default_plan(toy.energy),
                                            {.solver = o.solver, .linear_solver = linear_solver});
  EXPECT_TRUE(executable->bind(toy.binding));
  const auto summary = solve(*executable, o);
  EXPECT_TRUE(summary);
  return summary->final_cost;
}

void expect_ceres_minimum(const Toy& toy, double tolerance) {
  const test::CeresResult ceres = test::minimize_with_ceres(toy.energy, toy.binding);
  EXPECT_LT(ceres.final_cost, ceres.initial_cost);
  for (const auto linear_solver : {pcg_solver(), dense_solver(), sparse_cholesky_solver()}) {
    const double ours = our_minimum(toy, linear_solver);
    EXPECT_NEAR(ours, ceres.final_cost, tolerance * ceres.final_cost) << linear_solver->name();
  }
}

TEST(Ceres, AgreesOnToys) {
  THALLO_REQUIRE_CERES();
  expect_ceres_minimum(test::make_smoothing(30), 1e-10);
  THALLO_REQUIRE_CERES();
  expect_ceres_minimum(test::make_smoothing(30, true), 1e-10);
  THALLO_REQUIRE_CERES();
  expect_ceres_minimum(test::make_two_spaces(3, 6, 30), 1e-8);
  THALLO_REQUIRE_CERES();
  expect_ceres_minimum(test::make_curve(), 1e-10);
}

}  // namespace
}  // namespace thallo
