#include "core/cli/output/solve_output.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/cli/output/json_text.h"
#include "core/cli/output/table.h"
#include "core/problem/run_json.h"
#include "core/problem/run_totals.h"
#include "core/solve/ending.h"

namespace thallo::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view ContextPhase = "backend";
constexpr std::size_t MaxRowsShown = 40;

std::string sizes_text(const SolverSummary& first) {
  const std::string free = first.num_free_unknowns < first.num_unknowns
                               ? fmt::format(" ({} of them free)", first.num_free_unknowns)
                               : std::string();
  return fmt::format("{} unknowns{}, {} residuals", first.num_unknowns, free, first.num_residuals);
}

std::string labels_text(const Instance& instance) {
  std::string text = instance.title;
  for (const auto& [name, value] : instance.labels) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", value, name);
  }
  return text;
}

Table seconds_table(const RunTotals& totals, const Solution& solution) {
  Table table({left(""), "seconds", "share"});
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
  Table table({left(""), "ms"});
  for (const StartupClock::Phase& phase : clock.phases()) {
    const bool is_context = phase.name == ContextPhase;
    table.add({is_context ? "backend (driver context; not in the sum)" : phase.name,
               fmt::format("{:.1f}", 1e3 * phase.seconds)});
  }
  table.add({"process start to first iteration",
             fmt::format("{:.1f}", 1e3 * clock.total_without(ContextPhase))});
  return table;
}

Table options_table(const SolverOptions& options) {
  Table table({left(""), left("")});
  for (const auto& [name, value] : effective_options(options)) table.add({name, value});
  return table;
}

std::string report_text(const Report& report) {
  std::string text;
  if (!report.metrics.empty()) {
    Table table({left(""), "", left("")});
    for (const Metric& metric : report.metrics) {
      table.add({metric.name, fmt::format("{:.6g}", metric.value), metric.unit});
    }
    text += "\nResult" + table.text(2);
  }
  for (const ReportTable& rows : report.tables) {
    if (rows.rows.size() > MaxRowsShown) continue;  // --out writes it
    std::vector<Table::Column> columns;
    for (const std::string& title : rows.columns) columns.push_back(title);
    Table table(std::move(columns));
    for (const auto& row : rows.rows) table.add(row);
    text += fmt::format("\n{}\n{}", rows.caption, table.text(2));
  }
  return text;
}

// Lists the first and last cost of each solve. A later solve does not start at the cost where the
// previous one ended.
std::string costs_text(const std::vector<SolverSummary>& solves) {
  std::string text;
  const std::size_t num_left_out =
      solves.size() > MaxRowsShown ? solves.size() - MaxRowsShown : std::size_t{0};
  for (std::size_t i = 0; i < solves.size(); ++i) {
    // The last solve is always shown.
    if (num_left_out > 0 && i == MaxRowsShown - 1) {
      text += fmt::format("({} more, see --json)\n", num_left_out);
      i += num_left_out;
    }
    const std::string which = solves.size() > 1 ? fmt::format("solve {}: ", i + 1) : "";
    text += fmt::format("{}cost {:.9e} -> {:.9e}\n", which, solves[i].initial_cost,
                        solves[i].final_cost);
    if (solves[i].reweights_norms)
      text += fmt::format("{}minimized {}\n", which, solves[i].minimized_text());
  }
  return text;
}

// Returns the first of the solves with the worst ending.
const SolverSummary& worst_of(const std::vector<SolverSummary>& solves) {
  return *std::ranges::max_element(solves, {},
                                   [](const SolverSummary& solve) { return ending_of(solve); });
}

Json startup_json(const StartupClock& clock) {
  Json startup = Json::object();
  for (const StartupClock::Phase& phase : clock.phases()) startup[phase.name] = phase.seconds;
  startup["to_first_iteration"] = clock.total_without(ContextPhase);
  return startup;
}

}  // namespace

std::string solve_text(const Problem& problem, const Run& run, const StartupClock& clock,
                       bool verbose) {
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
         first.options.text("linear_solver"), to_string(solution.precision), solution.backend);
    if (!first.why_linear_solver.empty())
      line("{} was chosen: {}", first.options.text("linear_solver"), first.why_linear_solver);
    if (!first.why_precision.empty())
      line("{} was chosen: {}", to_string(first.precision), first.why_precision);
    if (!first.price_of_order.empty()) line("deterministic: {}", first.price_of_order);
    text += costs_text(solution.solves);
    line("{} iterations, {} linear{}", totals.iterations, totals.linear_iterations,
         solution.solves.size() > 1 ? fmt::format(", in {} solves", solution.solves.size()) : "");
    if (!last.members.empty()) {
      const auto [least, most] =
          std::ranges::minmax(last.members, {}, &MemberSummary::num_iterations);
      line("{} members, of {} to {} iterations each", last.members.size(), least.num_iterations,
           most.num_iterations);
    }
    if (first.num_loose > 0) line("{}", first.loose_text());
    if (totals.failed_blocks > 0) {
      line("{} preconditioner blocks were not positive definite and used their diagonal",
           totals.failed_blocks);
    }
    line("{}: {}", to_string(ending_of(last)), last.why());
    // One solve's warnings are enough here; the JSON contains all.
    for (const std::string& warning : warnings_of(worst_of(solution.solves)))
      line("warning: {}", warning);
  }
  for (const std::string& warning : run.report.warnings) line("warning: {}", warning);
  if (verbose && !solution.solves.empty())
    text += "\nOptions" + options_table(solution.solves.front().options).text(2);
  text += "\nTime" + seconds_table(totals, solution).text(2);
  text += "\nStart" + startup_table(clock).text(2);
  text += report_text(run.report);
  if (!run.report.shortfall.empty()) line("\n{}", run.report.shortfall);
  return text;
}

std::string solve_json(const Problem& problem, const Run& run, const StartupClock& clock,
                       const std::string& error) {
  Json json = Json::parse(RunRecord::of(problem, run).json());
  json["startup"] = startup_json(clock);
  if (!error.empty()) json["error"] = error;
  return dumped(json) + "\n";
}

}  // namespace thallo::cli
