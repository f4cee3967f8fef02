#include "core/problem/run_json.h"

#include <optional>

#include "core/problem/run_fields.h"
#include "core/problem/run_totals.h"
#include "core/solve/ending.h"

namespace thallo {
namespace {

SolveRecord record_of(const SolverSummary& s) {
  return {.initial_cost = s.initial_cost,
          .final_cost = s.final_cost,
          .initial_minimized_cost = s.initial_minimized_cost,
          .final_minimized_cost = s.final_minimized_cost,
          .num_unknowns = s.num_unknowns,
          .num_iterations = s.num_iterations,
          .num_accepted = s.num_accepted,
          .num_rejected = s.num_rejected,
          .num_linear_iterations = s.num_linear_iterations,
          .num_loose = s.num_loose,
          .termination = std::string(to_string(s.termination)),
          .converged = s.converged(),
          .ending = std::string(to_string(ending_of(s))),
          .warnings = warnings_of(s),
          .why = s.why(),
          .seconds = s.seconds.total,
          .times = s.times,
          .iterations = s.iterations};
}

}  // namespace

std::vector<std::pair<std::string, std::string>> effective_options(const SolverOptions& options) {
  std::vector<std::pair<std::string, std::string>> effective;
  for (const SolverOptionInfo& info : solver_option_infos()) {
    const auto tolerance =
        info.name == "function_tolerance" ? options.effective_function_tolerance() : std::nullopt;
    effective.emplace_back(info.name,
                           tolerance ? fmt::format("{}", *tolerance) : options.text(info.name));
  }
  return effective;
}

RunRecord RunRecord::of(const Problem& problem, const Run& run) {
  const Solution& solution = run.solution;
  const RunTotals totals = totals_of(solution);
  const SolverSummary none;
  const SolverSummary& first = solution.solves.empty() ? none : solution.solves.front();
  const SolverSummary& last = solution.solves.empty() ? none : solution.solves.back();
  const auto& kernels = run.executable->kernels();
  RunRecord record{.problem = problem.info().name,
                   .instance = run.instance.title,
                   .labels = {run.instance.labels.begin(), run.instance.labels.end()},
                   .schedule = run.schedule,
                   .backend = solution.backend,
                   .precision = solution.precision,
                   .why_precision = first.why_precision,
                   .solver = std::string(to_string(first.options.solver)),
                   .linear_solver = first.options.text("linear_solver"),
                   .why_linear_solver = first.why_linear_solver,
                   .preconditioner = first.options.text("preconditioner"),
                   .num_unknowns = first.num_unknowns,
                   .num_free_unknowns = first.num_free_unknowns,
                   .num_residuals = first.num_residuals,
                   .initial_cost = solution.initial_cost(),
                   .final_cost = solution.final_cost(),
                   .num_iterations = totals.iterations,
                   .num_linear_iterations = totals.linear_iterations,
                   .num_failed_blocks = totals.failed_blocks,
                   .ending = std::string(to_string(ending_of(solution.solves))),
                   .termination = std::string(to_string(last.termination)),
                   .why = last.why(),
                   .options = effective_options(first.options),
                   .compile_seconds = solution.compile_seconds,
                   .total_seconds = solution.total_seconds,
                   .seconds = totals.seconds,
                   .num_kernels = kernels.size(),
                   .num_kernels_from_cache = static_cast<std::size_t>(
                       std::ranges::count_if(kernels, &CompiledKernel::from_cache)),
                   .facts = last.facts,
                   .groups = last.groups,
                   .members = last.members,
                   .metrics = run.report.metrics,
                   .warnings = run.report.warnings,
                   .shortfall = run.report.shortfall};
  record.facts.cpu_seconds = totals.cpu_seconds;
  for (const SolverSummary& s : solution.solves) record.solves.push_back(record_of(s));
  return record;
}

std::string RunRecord::json() const {
  return json_fields::write(*this, Fidelity::Plain)
      .dump(-1, ' ', false, json_fields::Json::error_handler_t::replace);
}

}  // namespace thallo
