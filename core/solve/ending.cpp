#include "core/solve/ending.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/option_text.h"

namespace thallo {
namespace {

// Costs of a solve in float differ by less from one evaluation to the next.
constexpr double Rounding = 1e-4;

// Residuals that are this small on average are what rounding in float makes of zeros.
constexpr double ZeroResidual = 1e-7;

double zero_cost(const SolverSummary& summary) {
  return 0.5 * static_cast<double>(summary.num_residuals) * ZeroResidual * ZeroResidual;
}

bool rose(const SolverSummary& summary) {
  return summary.left_cost.value_or(summary.final_minimized_cost) >
         summary.initial_minimized_cost * (1 + Rounding) + zero_cost(summary);
}

// Did the last step still change the cost by more than a float tells?
bool still_moves(const SolverSummary& summary) {
  constexpr double Least = 1e-5;
  return !summary.iterations.empty() &&
         std::abs(summary.iterations.back().cost_change) > Least * summary.final_cost;
}

// True for the tests of cost and step, which say "no further", not "at a minimum".
bool is_of_cost_or_step(Termination why) {
  return why == Termination::FunctionTolerance || why == Termination::ParameterTolerance ||
         why == Termination::RoundingFloor || why == Termination::MinTrustRegionRadius;
}

// True if a test of cost or step ended the solve where the gradient is not small. At the kinks of
// L_p it never is, nor where residuals are but rounding.
bool is_far_from_minimum(const SolverSummary& summary) {
  constexpr double SmallCosine = 1e-2;
  return is_of_cost_or_step(summary.termination) && !summary.holds_weights &&
         summary.final_minimized_cost > zero_cost(summary) &&
         summary.final_gradient_cosine > SmallCosine;
}

// True if the solve ended where steps go on to points at which the cost is not finite.
bool ended_at_edge(const SolverSummary& summary) {
  constexpr std::size_t NumLast = 10;
  const std::vector<IterationRecord>& all = summary.iterations;
  return is_far_from_minimum(summary) &&
         std::any_of(all.end() - std::min(NumLast, all.size()), all.end(),
                     [](const IterationRecord& record) { return std::isinf(record.step_norm); });
}

// True if steps that may have been good ones were refused because they raised the cost.
bool was_misjudged(const SolverSummary& summary) {
  constexpr double SmallCosine = 1e-3;
  return !summary.knows_minimized_cost && summary.num_rejected > 0 &&
         is_of_cost_or_step(summary.termination) && summary.final_gradient_cosine > SmallCosine;
}

// True if no fraction of the last step of Gauss-Newton lowered the cost though this is no minimum:
// the model promised much, or the step led up, and the gradient is not small.
bool was_refused(const SolverSummary& summary) {
  constexpr double SmallCosine = 1e-5;
  if (summary.termination != Termination::NoDecrease ||
      summary.final_gradient_cosine <= SmallCosine)
    return false;
  const double little =
      std::max(1e-6 * summary.final_minimized_cost, 1e-12 * summary.initial_minimized_cost);
  return !(summary.refused_decrease > 0 && summary.refused_decrease <= little);
}

std::string cause_of_rise(const SolverSummary& summary) {
  if (summary.options.solver == SolverKind::LevenbergMarquardt) return "";
  if (summary.holds_weights) {
    return fmt::format(
        ": a step of Gauss-Newton holds the weights of L_p and other Constant terms, which then "
        "change with the unknowns; {} takes no step that raises the cost",
        option_text("solver", "lm"));
  }
  return fmt::format(": steps of Gauss-Newton went too far; {} damps them",
                     option_text("solver", "lm"));
}

std::string rise_text(const SolverSummary& summary) {
  const double last = summary.left_cost.value_or(summary.final_minimized_cost);
  return fmt::format("the cost rose from {:.6g} to {:.6g}{}{}", summary.initial_minimized_cost,
                     last, summary.left_cost ? ", and the best point is kept" : "",
                     cause_of_rise(summary));
}

// The options that the caller set and that can make steps too short, or end a solve too soon.
std::string options_that_hold_steps(const SolverSummary& summary) {
  std::vector<std::string_view> names;
  for (const std::string_view name :
       {"lIterations", "trust_region_radius", "max_trust_region_radius", "min_relative_decrease",
        "min_lm_diagonal", "max_step_halvings", "function_tolerance", "parameter_tolerance"}) {
    if (summary.options.named.contains(name)) names.push_back(name);
  }
  return names.empty() ? "" : fmt::format("{} may hold them, or ", fmt::join(names, " or "));
}

std::string limit_text(const SolverSummary& summary) {
  const bool by_time = summary.termination == Termination::TimeLimit;
  return fmt::format(
      "{} ended the solve before it converged; its last step changed the cost by {:.1e} of {:.6g}",
      by_time ? std::string("max_solver_time_in_seconds")
              : fmt::format("nIterations = {}", summary.options.num_iterations),
      summary.iterations.back().cost_change, summary.final_cost);
}

// The steps in which PCG made all of the iterations that it is allowed.
std::ptrdiff_t steps_at_limit(const SolverSummary& summary) {
  const int limit = summary.options.num_linear_iterations;
  return std::ranges::count_if(summary.iterations, [limit](const IterationRecord& record) {
    return record.iteration > 0 && limit > 0 && record.linear_iterations >= limit;
  });
}

}  // namespace

std::string_view to_string(Ending ending) {
  switch (ending) {
    case Ending::Converged: return "converged";
    case Ending::Stopped: return "stopped";
    case Ending::Diverged: return "diverged";
    case Ending::Failed: return "failed";
  }
  THALLO_UNREACHABLE();
}

Ending ending_of(const SolverSummary& summary) {
  switch (summary.termination) {
    case Termination::NonFiniteStep:
    case Termination::LinearSolveFailed:
    case Termination::HalfOverflow:
    case Termination::DeviceFailed:
    case Termination::NonFiniteStart: return Ending::Failed;
    case Termination::MaxIterations:
    case Termination::TimeLimit:
    case Termination::Cancelled: return rose(summary) ? Ending::Diverged : Ending::Stopped;
    case Termination::FunctionTolerance:
    case Termination::GradientTolerance:
    case Termination::ZeroGradient:
    case Termination::ZeroCost:
    case Termination::ParameterTolerance:
    case Termination::MinTrustRegionRadius:
    case Termination::RoundingFloor:
    case Termination::NoDecrease:
      if (rose(summary)) return Ending::Diverged;
      return is_far_from_minimum(summary) || was_misjudged(summary) || was_refused(summary)
                 ? Ending::Stopped
                 : Ending::Converged;
  }
  THALLO_UNREACHABLE();
}

Ending ending_of(const std::vector<SolverSummary>& solves) {
  if (solves.empty()) return Ending::Failed;
  Ending worst = Ending::Converged;
  for (const SolverSummary& solve : solves) worst = std::max(worst, ending_of(solve));
  return worst;
}

std::vector<std::string> warnings_of(const SolverSummary& summary) {
  std::vector<std::string> warnings;
  if (summary.num_unknowns > 0 && summary.num_free_unknowns == 0) {
    warnings.push_back(fmt::format(
        "all {} unknowns are excluded, so there was nothing to solve for", summary.num_unknowns));
  }
  if (summary.start_move > 0) {
    warnings.push_back(
        fmt::format("the start was outside of the bounds, and was moved into them by up to {:.3g}",
                    summary.start_move));
  }
  const bool by_limit = summary.termination == Termination::MaxIterations ||
                        summary.termination == Termination::TimeLimit;
  if (rose(summary)) {
    warnings.push_back(rise_text(summary));
  } else if (by_limit && summary.options.has_test() && still_moves(summary)) {
    warnings.push_back(limit_text(summary));
  }
  if (summary.num_iterations > 0 && summary.num_accepted == 0 &&
      summary.termination != Termination::ZeroGradient &&
      summary.termination != Termination::ZeroCost && ending_of(summary) != Ending::Failed &&
      !is_far_from_minimum(summary) && !was_refused(summary)) {
    warnings.emplace_back(
        "no step lowered the cost: the start may be a minimum as exactly as this precision tells, "
        "or a derivative is off (thallo check)");
  }
  if (ended_at_edge(summary)) {
    warnings.emplace_back(
        "steps go on to where a residual is not finite, so this is the edge of where the energy is "
        "defined and no minimum; start elsewhere, or keep the unknown from there by bounds, as "
        "x:bounds(1e-6) for what is positive");
  } else if (was_misjudged(summary)) {
    warnings.emplace_back(
        "residuals have Constant parts that change with the unknowns, so that good steps may raise "
        "the cost, and such steps were refused: this need not be where the steps lead. Write a "
        "loss (r.fit:loss(huber(1))) or L_p in their place");
  } else if (is_far_from_minimum(summary)) {
    warnings.push_back(fmt::format(
        "steps became too short to lower the cost, and this is no minimum: {}a derivative "
        "may be off (thallo check)",
        options_that_hold_steps(summary)));
  }
  if (was_refused(summary)) {
    warnings.push_back(fmt::format(
        "the step of Gauss-Newton lowers the cost nowhere, and this is no minimum: it goes too "
        "far, or what rounding leaves of it leads up; try {}, {} or double",
        option_text("solver", "lm"), option_text("linear_solver", "dense")));
  }
  const std::ptrdiff_t at_limit = steps_at_limit(summary);
  // PCG's limit says something only where a test could end it earlier.
  if (!summary.solved_directly && summary.options.pcg_has_test() &&
      2 * at_limit > summary.num_iterations) {
    warnings.push_back(fmt::format(
        "{} made all its lIterations = {} in {} of {} steps; try {}, {}, or more of them",
        summary.options.chooses_linear_solver() ? pcg_solver()->name()
                                                : std::string_view(summary.options.linear_solver),
        summary.options.num_linear_iterations, at_limit, summary.num_iterations,
        option_text("preconditioner", "block_jacobi"),
        option_text("linear_solver", "sparse_cholesky")));
  }
  if (const auto names = summary.options.named_in_vain(summary.solved_directly); !names.empty()) {
    warnings.push_back(fmt::format("{} {} no effect with solver {} and linear_solver {}",
                                   fmt::join(names, ", "), names.size() == 1 ? "has" : "have",
                                   to_string(summary.options.solver),
                                   summary.options.text("linear_solver")));
  }
  return warnings;
}

}  // namespace thallo
