#include "core/solve/summary.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace thallo {
namespace {

constexpr int LabelWidth = 34;

// The page of full(): labelled lines under headings.
class Page {
 public:
  void heading(std::string_view text) {
    fmt::format_to(std::back_inserter(text_), "{}{}\n", text_.empty() ? "" : "\n", text);
  }
  template <class T>
  void line(std::string_view label, const T& value) {
    fmt::format_to(std::back_inserter(text_), "  {:<{}}{}\n", label, LabelWidth, value);
  }
  void seconds(std::string_view label, double value, double total) {
    const double percent = total > 0 ? 100 * value / total : 0;
    line(label, fmt::format("{:>12.6f} s {:>5.1f} %", value, percent));
  }
  void spread(std::string_view label, const SecondsSpread& times) {
    if (times.count == 0) return;
    line(label, fmt::format("{:>12.6f} s, {:.6f} to {:.6f}, deviation {:.6f}, {} times", times.mean,
                            times.min, times.max, times.deviation, times.count));
  }
  std::string take() && { return std::move(text_); }

 private:
  std::string text_;
};

std::string count(std::int64_t value) {
  return value > 0 ? fmt::format("{}", value) : std::string("unknown");
}

bool is_damped(const SolverOptions& options) {
  return options.solver == SolverKind::LevenbergMarquardt;
}

std::string option_or_off(double value) {
  return value > 0 ? fmt::format("{:g}", value) : std::string("off");
}

void print_options(Page& page, const SolverSummary& summary) {
  const SolverOptions& options = summary.options;
  page.heading("Options");
  page.line("solver", to_string(options.solver));
  page.line("precision", to_string(summary.precision));
  if (!summary.why_precision.empty())
    page.line("", fmt::format("chosen: {}", summary.why_precision));
  page.line("linear_solver", options.text("linear_solver"));
  if (!summary.why_linear_solver.empty())
    page.line("", fmt::format("chosen: {}", summary.why_linear_solver));
  if (options.is_deterministic) page.line("deterministic", summary.price_of_order);
  if (!summary.solved_directly) {
    page.line("preconditioner", options.text("preconditioner"));
    page.line("lIterations", options.num_linear_iterations);
    if (is_damped(options)) page.line("q_tolerance", option_or_off(options.q_tolerance));
    page.line("residual_tolerance", option_or_off(options.residual_tolerance));
  } else if (options.loose_iterations.value_or(0) > 0) {
    page.line("loose_iterations", *options.loose_iterations);
  }
  page.line("nIterations", options.num_iterations);
  const auto function_tolerance = options.effective_function_tolerance();
  page.line("function_tolerance",
            function_tolerance ? fmt::format("{:g}", *function_tolerance) : std::string("off"));
  page.line("gradient_tolerance", option_or_off(options.gradient_tolerance));
  page.line("parameter_tolerance", option_or_off(options.parameter_tolerance));
  if (is_damped(options)) {
    page.line("trust_region_radius", fmt::format("{:g}", options.trust_region_radius));
  }
  page.line("max_solver_time_in_seconds", option_or_off(options.max_solver_time_in_seconds));
}

}  // namespace

SecondsSpread SecondsSpread::of(const std::vector<double>& seconds) {
  if (seconds.empty()) return {};
  const auto count = static_cast<double>(seconds.size());
  const auto [min, max] = std::ranges::minmax(seconds);
  const double mean = std::accumulate(seconds.begin(), seconds.end(), 0.0) / count;
  double squares = 0;
  for (const double each : seconds) squares += (each - mean) * (each - mean);
  return {std::ssize(seconds), min, max, mean, std::sqrt(squares / count)};
}

double SolverSummary::reduction() const {
  if (initial_cost == final_cost) return 1;
  return final_cost == 0 ? std::numeric_limits<double>::infinity() : initial_cost / final_cost;
}

std::string SolverSummary::why() const {
  return cause.empty() ? std::string(describe(termination))
                       : fmt::format("{}: {}", describe(termination), cause);
}

void SolverSummary::end_batch(const std::map<Termination, std::int64_t>& endings) {
  std::int64_t num_converged = 0, num_members = 0, most = 0;
  for (const auto& [ending, count] : endings) {
    num_members += count;
    if (is_convergence(ending)) num_converged += count;
  }
  termination = Termination::ZeroCost;  // without members
  for (const auto& [ending, count] : endings) {
    if (is_convergence(ending) && num_converged < num_members) continue;
    if (count > most) termination = ending;
    most = std::max(most, count);
  }
  if (num_converged == num_members || num_members == 1) return;
  cause =
      fmt::format("{} of {} members ended so, and {} converged", most, num_members, num_converged);
}

void SolverSummary::add(const IterationRecord& record) {
  iterations.push_back(record);
  if (record.iteration == 0) return;
  num_iterations = record.iteration;
  (record.accepted ? num_accepted : num_rejected) += 1;
  num_loose += record.loose ? 1 : 0;
  num_linear_iterations += record.linear_iterations;
  num_failed_blocks += record.failed_blocks;
  final_gradient_max = record.gradient_max;
}

std::string SolverSummary::brief() const {
  return fmt::format(
      "{}: {}, {}, {} iterations ({} accepted), {} linear, cost {:.6e} -> {:.6e}, {:.3f} s: {}",
      energy, to_string(options.solver), to_string(precision), num_iterations, num_accepted,
      num_linear_iterations, initial_cost, final_cost, seconds.total, why());
}

std::string SolverSummary::loose_text() const {
  return fmt::format("steps 1 to {} by pcg, in {} linear iterations; those after them by {}",
                     num_loose, num_linear_iterations - (num_iterations - num_loose),
                     options.text("linear_solver"));
}

std::string SolverSummary::minimized_text() const {
  return fmt::format("{:.9e} -> {:.9e}, with |v|^p / p for each L_p(v, p)", initial_minimized_cost,
                     final_minimized_cost);
}

std::string SolverSummary::full() const {
  Page page;
  page.heading(fmt::format("Summary of {}", energy));
  page.line("unknowns", count(num_unknowns));
  page.line("residuals", count(num_residuals));

  print_options(page, *this);

  page.heading("Cost (1/2 sum r^2)");
  page.line("initial", fmt::format("{:.9e}", initial_cost));
  page.line("final", fmt::format("{:.9e}", final_cost));
  if (reweights_norms) page.line("minimized", minimized_text());
  if (left_cost) page.line("last step, not taken", fmt::format("{:.9e}", *left_cost));
  page.line("change", fmt::format("{:.9e}", initial_cost - final_cost));
  page.line("largest gradient entry", fmt::format("{:.3e}", final_gradient_max));

  page.heading("Iterations");
  page.line("nonlinear", num_iterations);
  if (is_damped(options)) {
    page.line("accepted", num_accepted);
    page.line("rejected", num_rejected);
  }
  page.line("linear", num_linear_iterations);
  if (num_loose > 0) page.line("loose", loose_text());
  if (!unknowns_without_block.empty()) {
    page.line("jacobi, too large for blocks",
              fmt::format("{}", fmt::join(unknowns_without_block, ", ")));
  }
  if (num_failed_blocks > 0) page.line("failed preconditioner blocks", num_failed_blocks);

  page.heading("Time");
  const double rest =
      seconds.total - seconds.linearize - seconds.linear - seconds.cost - seconds.update;
  page.seconds("linearize", seconds.linearize, seconds.total);
  page.seconds("linear solve", seconds.linear, seconds.total);
  page.seconds("cost", seconds.cost, seconds.total);
  page.seconds("update", seconds.update, seconds.total);
  page.seconds("host and waiting", std::max(0.0, rest), seconds.total);
  page.seconds("total", seconds.total, seconds.total);

  if (times.iteration.count > 0) {
    page.heading("Time of one");
    page.spread("iteration", times.iteration);
    page.spread("linearization", times.linearize);
    page.spread("linear solve", times.linear);
    page.spread("trial point", times.resolve);
  }

  page.heading(fmt::format("{}: {}", converged() ? "Converged" : "Ended", why()));
  return std::move(page).take();
}

std::string iteration_table_header(SolverKind solver) {
  if (solver == SolverKind::GaussNewton) {
    return fmt::format("{:>5} {:>14} {:>11} {:>10} {:>10} {:>7} {:>10} {:>10}", "iter", "cost",
                       "cost_change", "|gradient|", "|step|", "linear", "iter_s", "total_s");
  }
  return fmt::format("{:>5} {:>14} {:>11} {:>10} {:>10} {:>10} {:>10} {:>7} {:>10} {:>10}", "iter",
                     "cost", "cost_change", "|gradient|", "|step|", "rho", "radius", "linear",
                     "iter_s", "total_s");
}

std::string iteration_table_row(SolverKind solver, const IterationRecord& record) {
  std::string row =
      fmt::format("{:>5} {:>14.6e} {:>11.2e} {:>10.2e} {:>10.2e}", record.iteration, record.cost,
                  record.cost_change, record.gradient_max, record.step_norm);
  if (solver == SolverKind::LevenbergMarquardt) {
    row += fmt::format(" {:>10.2e} {:>10.2e}", record.relative_decrease, record.radius);
  }
  row += fmt::format(" {:>7} {:>10.2e} {:>10.2e}", record.linear_iterations, record.seconds,
                     record.total_seconds);
  if (record.loose) row += "  loose";
  if (!record.accepted) row += "  rejected";
  return row;
}

}  // namespace thallo
