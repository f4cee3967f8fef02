#include "core/solve/settled_cost.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/solve/trust_region.h"

namespace thallo {
namespace {

// From which distance of the relative decrease from 1 on the model tells little of what is left,
// and which part of the tolerance counts then.
constexpr double MostDeviation = 0.25;
constexpr double WhereModelIsOff = 0.1;
// A smaller radius may hold steps along what residuals with large weights hold.
constexpr double FreeRadius = 1e10;

}  // namespace

SettledCost::SettledCost(const SolverOptions& options, bool solves_directly)
    : tolerance_(options.effective_function_tolerance()),
      first_radius_(options.trust_region_radius),
      needs_confirmation_(options.solver == SolverKind::LevenbergMarquardt && !solves_directly &&
                          options.pcg_has_test()),
      largest_radius_(options.max_trust_region_radius) {}

bool SettledCost::may_be_short_by_damping(const TrialStep& step) const {
  if (step.damped_norm2 == 0 || step.radius < first_radius_) return false;
  const bool may_grow = step.radius < std::min(FreeRadius, largest_radius_);
  return step.damped_norm2 > 0.5 * step.promised || (may_grow && is_exact(step.relative_decrease));
}

bool SettledCost::is_reached_by(const TrialStep& step, double before) {
  const bool is_model_off = std::abs(step.relative_decrease - 1) > MostDeviation;
  const double most = tolerance_.value_or(0) * before * (is_model_off ? WhereModelIsOff : 1);
  const bool has_settled = tolerance_ && std::abs(step.cost_change) * step.shortened_by() <= most;
  const bool is_doubtful = needs_confirmation_ || may_be_short_by_damping(step);
  const bool was_confirming = std::exchange(is_confirming_, has_settled && is_doubtful);
  return has_settled && (!is_confirming_ || was_confirming);
}

bool SettledCost::is_confirmed_by_rejection(const TrialStep& step, double cost) const {
  const double most = tolerance_.value_or(0) * cost;
  const bool is_doubtful = needs_confirmation_ || may_be_short_by_damping(step);
  return tolerance_ && (is_confirming_ || !is_doubtful) && std::abs(step.cost_change) <= most &&
         step.promised <= most;
}

}  // namespace thallo
