#include "core/solve/settled_cost.h"

#include <cmath>
#include <utility>

namespace thallo {
namespace {

// From which distance of the relative decrease from 1 on the model tells little of what is left,
// and which part of the tolerance counts then.
constexpr double MostDeviation = 0.25;
constexpr double WhereModelIsOff = 0.1;

}  // namespace

SettledCost::SettledCost(const SolverOptions& options, bool solves_directly)
    : tolerance_(options.effective_function_tolerance()),
      first_radius_(options.trust_region_radius),
      needs_confirmation_(options.solver == SolverKind::LevenbergMarquardt && !solves_directly &&
                          options.pcg_has_test()) {}

bool SettledCost::is_short_by_damping(const TrialStep& step) const {
  return step.damped_norm2 > 0.5 * step.promised && step.radius >= first_radius_;
}

bool SettledCost::is_reached_by(const TrialStep& step, double before) {
  const bool is_model_off = std::abs(step.relative_decrease - 1) > MostDeviation;
  const double most = tolerance_.value_or(0) * before * (is_model_off ? WhereModelIsOff : 1);
  const bool has_settled = tolerance_ && std::abs(step.cost_change) <= most;
  const bool is_doubtful = needs_confirmation_ || is_short_by_damping(step);
  const bool was_confirming = std::exchange(is_confirming_, has_settled && is_doubtful);
  return has_settled && (!is_confirming_ || was_confirming);
}

bool SettledCost::is_confirmed_by_rejection(const TrialStep& step, double cost) const {
  const double most = tolerance_.value_or(0) * cost;
  const bool is_doubtful = needs_confirmation_ || is_short_by_damping(step);
  return tolerance_ && (is_confirming_ || !is_doubtful) && std::abs(step.cost_change) <= most &&
         step.promised <= most;
}

}  // namespace thallo
