#include "core/problem/run_json.h"

#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/problem/run_totals.h"
#include "core/solve/ending.h"

namespace thallo {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const IterationRecord& r) {
  return {{"iteration", r.iteration},
          {"cost", r.cost},
          {"cost_change", r.cost_change},
          {"gradient_max", r.gradient_max},
          {"step_norm", r.step_norm},
          {"relative_decrease", r.relative_decrease},
          {"radius", r.radius},
          {"linear_iterations", r.linear_iterations},
          {"failed_blocks", r.failed_blocks},
          {"accepted", r.accepted},
          {"seconds", r.seconds},
          {"total_seconds", r.total_seconds}};
}

Json solves_json(const Solution& solution) {
  Json solves = Json::array();
  for (const SolverSummary& s : solution.solves) {
    Json records = Json::array();
    for (const IterationRecord& record : s.iterations) records.push_back(json_of(record));
    solves.push_back({{"initial_cost", s.initial_cost},
                      {"final_cost", s.final_cost},
                      {"iterations", s.num_iterations},
                      {"accepted", s.num_accepted},
                      {"rejected", s.num_rejected},
                      {"linear_iterations", s.num_linear_iterations},
                      {"termination", to_string(s.termination)},
                      {"converged", s.converged()},
                      {"ending", to_string(ending_of(s))},
                      {"warnings", warnings_of(s)},
                      {"why", s.why()},
                      {"seconds", s.seconds.total},
                      {"records", records}});
  }
  return solves;
}

Json options_json(const SolverOptions& options) {
  Json json = Json::object();
  for (const auto& [name, value] : effective_options(options)) json[name] = value;
  return json;
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

std::string run_json(const Problem& problem, const Run& run) {
  const Solution& solution = run.solution;
  const RunTotals totals = totals_of(solution);
  const SolverSummary none;
  const SolverSummary& first = solution.solves.empty() ? none : solution.solves.front();
  const SolverSummary& last = solution.solves.empty() ? none : solution.solves.back();

  Json labels = Json::object();
  for (const auto& [name, value] : run.instance.labels) labels[name] = value;
  Json metrics = Json::array();
  for (const Metric& m : run.report.metrics) {
    metrics.push_back({{"name", m.name}, {"value", m.value}, {"unit", m.unit}});
  }
  std::size_t num_from_cache = 0;
  const auto& kernels = run.executable->kernels();
  for (const CompiledKernel& kernel : kernels) num_from_cache += kernel.from_cache ? 1 : 0;

  const Json json = {{"problem", problem.info().name},
                     {"instance", run.instance.title},
                     {"labels", labels},
                     {"schedule", run.schedule},
                     {"backend", solution.backend},
                     {"precision", to_string(solution.precision)},
                     {"solver", to_string(first.options.solver)},
                     {"linear_solver", first.options.text("linear_solver")},
                     {"why_linear_solver", first.why_linear_solver},
                     {"preconditioner", first.options.text("preconditioner")},
                     {"unknowns", first.num_unknowns},
                     {"free_unknowns", first.num_free_unknowns},
                     {"residuals", first.num_residuals},
                     {"initial_cost", solution.initial_cost()},
                     {"final_cost", solution.final_cost()},
                     {"iterations", totals.iterations},
                     {"linear_iterations", totals.linear_iterations},
                     {"failed_blocks", totals.failed_blocks},
                     {"ending", to_string(ending_of(solution.solves))},
                     {"termination", to_string(last.termination)},
                     {"why", last.why()},
                     {"options", options_json(first.options)},
                     {"seconds",
                      {{"compile", solution.compile_seconds},
                       {"linearize", totals.seconds.linearize},
                       {"linear", totals.seconds.linear},
                       {"cost", totals.seconds.cost},
                       {"update", totals.seconds.update},
                       {"solve", totals.seconds.total},
                       {"total", solution.total_seconds}}},
                     {"kernels", {{"count", kernels.size()}, {"from_cache", num_from_cache}}},
                     {"metrics", metrics},
                     {"warnings", run.report.warnings},
                     {"shortfall", run.report.shortfall},
                     {"solves", solves_json(solution)}};
  return json.dump();
}

std::string record_json(const IterationRecord& record) { return json_of(record).dump(); }

}  // namespace thallo
