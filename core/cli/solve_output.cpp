#include "core/cli/solve_output.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/cli/table.h"

namespace thallo::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view ContextPhase = "backend";
constexpr std::size_t MaxRowsShown = 40;

std::string sizes_text(const SolverSummary& first) {
  return fmt::format("{} unknowns, {} residuals", first.num_unknowns, first.num_residuals);
}

std::string labels_text(const Instance& instance) {
  std::string text = instance.title;
  for (const auto& [name, value] : instance.labels) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", value, name);
  }
  return text;
}

Table seconds_table(const RunTotals& totals, const Solution& solution) {
  Table table({{"", Table::Align::Left}, {"seconds"}, {"share"}});
  const SolverSeconds& s = totals.seconds;
  const double rest = s.total - s.linearize - s.linear - s.cost - s.update;
  const auto row = [&](const char* name, double seconds) {
    table.add({name, fmt::format("{:.4f}", seconds),
               s.total > 0 ? fmt::format("{:.1f} %", 100 * seconds / s.total) : ""});
  };
  row("linearize", s.linearize);
  row("linear solve", s.linear);
  row("cost", s.cost);
  row("update", s.update);
  row("host and waiting", std::max(0.0, rest));
  row(solution.solves.size() > 1 ? "all solves" : "solve", s.total);
  return table;
}

Table startup_table(const StartupClock& clock) {
  Table table({{"", Table::Align::Left}, {"ms"}});
  for (const StartupClock::Phase& phase : clock.phases()) {
    const bool is_context = phase.name == ContextPhase;
    table.add({is_context ? "backend (driver context; not in the sum)" : phase.name,
               fmt::format("{:.1f}", 1e3 * phase.seconds)});
  }
  table.add({"process start to first iteration",
             fmt::format("{:.1f}", 1e3 * clock.total_without(ContextPhase))});
  return table;
}

std::string report_text(const Report& report) {
  std::string text;
  if (!report.metrics.empty()) {
    Table table({{"", Table::Align::Left}, {""}, {"", Table::Align::Left}});
    for (const Metric& metric : report.metrics) {
      table.add({metric.name, fmt::format("{:.6g}", metric.value), metric.unit});
    }
    text += "\nResult" + table.text(2);
  }
  for (const ReportTable& rows : report.tables) {
    if (rows.rows.size() > MaxRowsShown) continue;  // --out writes it
    std::vector<Table::Column> columns;
    for (const std::string& title : rows.columns) columns.push_back({title});
    Table table(std::move(columns));
    for (const auto& row : rows.rows) table.add(row);
    text += fmt::format("\n{}\n{}", rows.caption, table.text(2));
  }
  return text;
}

Json records_json(const SolverSummary& summary) {
  Json records = Json::array();
  for (const IterationRecord& r : summary.iterations) {
    records.push_back({{"iteration", r.iteration},
                       {"cost", r.cost},
                       {"cost_change", r.cost_change},
                       {"gradient_max", r.gradient_max},
                       {"step_norm", r.step_norm},
                       {"relative_decrease", r.relative_decrease},
                       {"radius", r.radius},
                       {"linear_iterations", r.linear_iterations},
                       {"accepted", r.accepted},
                       {"seconds", r.seconds},
                       {"total_seconds", r.total_seconds}});
  }
  return records;
}

Json solves_json(const Solution& solution) {
  Json solves = Json::array();
  for (const SolverSummary& s : solution.solves) {
    solves.push_back({{"initial_cost", s.initial_cost},
                      {"final_cost", s.final_cost},
                      {"iterations", s.num_iterations},
                      {"accepted", s.num_accepted},
                      {"linear_iterations", s.num_linear_iterations},
                      {"termination", to_string(s.termination)},
                      {"seconds", s.seconds.total},
                      {"records", records_json(s)}});
  }
  return solves;
}

Json startup_json(const StartupClock& clock) {
  Json startup = Json::object();
  for (const StartupClock::Phase& phase : clock.phases()) startup[phase.name] = phase.seconds;
  startup["to_first_iteration"] = clock.total_without(ContextPhase);
  return startup;
}

}  // namespace

RunTotals totals_of(const Solution& solution) {
  RunTotals totals;
  for (const SolverSummary& s : solution.solves) {
    totals.iterations += s.num_iterations;
    totals.linear_iterations += s.num_linear_iterations;
    totals.failed_blocks += s.num_failed_blocks;
    totals.seconds.linearize += s.seconds.linearize;
    totals.seconds.linear += s.seconds.linear;
    totals.seconds.cost += s.seconds.cost;
    totals.seconds.update += s.seconds.update;
    totals.seconds.total += s.seconds.total;
  }
  return totals;
}

std::string solve_text(const Problem& problem, const Run& run, const StartupClock& clock) {
  const Solution& solution = run.solution;
  const RunTotals totals = totals_of(solution);
  std::string text;
  const auto line = [&]<class... Args>(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(text), format, std::forward<Args>(args)...);
    text += '\n';
  };
  line("");
  line("{}: {}", problem.info().title, labels_text(run.instance));
  if (!solution.solves.empty()) {
    const SolverSummary& first = solution.solves.front();
    const SolverSummary& last = solution.solves.back();
    line("{}; {}, {}, {} on {}", sizes_text(first), to_string(first.options.solver),
         to_string(first.options.linear_solver), to_string(solution.precision), solution.backend);
    line("cost {:.9e} -> {:.9e}", solution.initial_cost(), solution.final_cost());
    line("{} iterations, {} linear{}", totals.iterations, totals.linear_iterations,
         solution.solves.size() > 1 ? fmt::format(", in {} solves", solution.solves.size()) : "");
    if (totals.failed_blocks > 0) {
      line("{} preconditioner blocks were not positive definite and used their diagonal",
           totals.failed_blocks);
    }
    line("ended because {}", last.why());
  }
  text += "\nTime" + seconds_table(totals, solution).text(2);
  text += "\nStart" + startup_table(clock).text(2);
  text += report_text(run.report);
  if (!run.report.shortfall.empty()) line("\n{}", run.report.shortfall);
  return text;
}

std::string solve_json(const Problem& problem, const Run& run, const StartupClock& clock) {
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
                     {"backend", solution.backend},
                     {"precision", to_string(solution.precision)},
                     {"solver", to_string(first.options.solver)},
                     {"linear_solver", to_string(first.options.linear_solver)},
                     {"preconditioner", first.options.text("preconditioner")},
                     {"unknowns", first.num_unknowns},
                     {"residuals", first.num_residuals},
                     {"initial_cost", solution.initial_cost()},
                     {"final_cost", solution.final_cost()},
                     {"iterations", totals.iterations},
                     {"linear_iterations", totals.linear_iterations},
                     {"failed_blocks", totals.failed_blocks},
                     {"termination", to_string(last.termination)},
                     {"why", last.why()},
                     {"seconds",
                      {{"compile", solution.compile_seconds},
                       {"linearize", totals.seconds.linearize},
                       {"linear", totals.seconds.linear},
                       {"cost", totals.seconds.cost},
                       {"update", totals.seconds.update},
                       {"solve", totals.seconds.total},
                       {"total", solution.total_seconds}}},
                     {"startup", startup_json(clock)},
                     {"kernels", {{"count", kernels.size()}, {"from_cache", num_from_cache}}},
                     {"metrics", metrics},
                     {"shortfall", run.report.shortfall},
                     {"solves", solves_json(solution)}};
  return json.dump(2) + "\n";
}

}  // namespace thallo::cli
