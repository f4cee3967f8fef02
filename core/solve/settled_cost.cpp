#include "core/solve/settled_cost.h"

#include <cmath>
#include <utility>

namespace thallo {

SettledCost::SettledCost(const SolverOptions& options, bool solves_directly)
    : tolerance_(options.effective_function_tolerance()),
      needs_confirmation_(options.solver == SolverKind::LevenbergMarquardt && !solves_directly &&
                          options.pcg_has_test()) {}

bool SettledCost::is_reached_by(double change, double before) {
  const bool has_settled = tolerance_ && std::abs(change) <= *tolerance_ * before;
  const bool was_confirming = std::exchange(is_confirming_, has_settled && needs_confirmation_);
  return has_settled && (!is_confirming_ || was_confirming);
}

bool SettledCost::is_confirmed_by_rejection(double change, double promised, double cost) const {
  const double most = tolerance_.value_or(0) * cost;
  return is_confirming_ && std::abs(change) <= most && promised <= most;
}

}  // namespace thallo
