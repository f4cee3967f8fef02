#include "tests/problems/runs.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <stdexcept>

#include <fmt/format.h>

#include "core/energy/evaluate/evaluator.h"
#include "tests/problems/loaded_problems.h"
#include "tests/support/built_plugins.h"

namespace thallo::test {
namespace {

Run run_problem(std::string_view problem, RunRequest request) {
  request.parts.linear_solvers = &loaded_plugin_items().linear_solvers;
  request.constructs = &loaded_plugin_items().constructs;
  auto result = solve_problem(**loaded_problems().lookup(problem), request);
  if (!result) throw std::runtime_error(result.error().message());
  return *std::move(result);
}

}  // namespace

Run run(std::string_view problem, const Options& options, const SolverTexts& solver_options,
        const std::string& backend) {
  return run_problem(problem, {.options = options,
                               .backend = backend,
                               .precision = Precision::Double,
                               .solver_options = solver_options});
}

Run run_in_float(std::string_view problem, const Options& options,
                 const SolverTexts& solver_options) {
  return run_problem(problem, {.options = options,
                               .backend = "cpu",
                               .precision = Precision::Float,
                               .solver_options = solver_options});
}

Run run_by_default(std::string_view problem, const Options& options,
                   const SolverTexts& solver_options) {
  return run_problem(problem,
                     {.options = options, .backend = "cpu", .solver_options = solver_options});
}

void print_beside_ceres(std::string_view what, const CeresResult& ceres, const Solution& ours) {
  std::int64_t steps = 0;
  std::int64_t linear = 0;
  for (const SolverSummary& solve : ours.solves) {
    steps += solve.num_iterations;
    linear += solve.num_linear_iterations;
  }
  fmt::print(
      "{:22} start {:.6e}  ours {:.6e} ({} steps, {} PCG, {:.2f} s)  Ceres {:.6e} ({} steps, "
      "{:.2f} s)  {:+.4f} %\n",
      what, ceres.initial_cost, ours.final_cost(), steps, linear, ours.total_seconds,
      ceres.final_cost, ceres.iterations, ceres.seconds,
      100 * (ours.final_cost() / ceres.final_cost - 1));
  std::fflush(stdout);
}

double metric(const Report& report, std::string_view name) {
  for (const Metric& m : report.metrics) {
    if (m.name == name) return m.value;
  }
  ADD_FAILURE() << "no metric '" << name << "'";
  return 0;
}

void expect_true_cost(const Run& run, double tolerance) {
  EnergyEvaluator evaluator(run.file.energy, run.instance.binding);
  EXPECT_NEAR(evaluator.cost() / run.solution.final_cost(), 1, tolerance);
}

}  // namespace thallo::test
