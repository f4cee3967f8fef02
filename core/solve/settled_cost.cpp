#include "core/solve/settled_cost.h"

#include <cmath>
#include <utility>

namespace thallo {
namespace {

// From which distance of the relative decrease from 1 on the model tells little of what is left,
// and which part of the tolerance counts then.
constexpr double MostDeviation = 0.25;
constexpr double WhereLinear = 0.1;

}  // namespace

SettledCost::SettledCost(const SolverOptions& options, bool solves_directly)
    : tolerance_(options.effective_function_tolerance()),
      needs_confirmation_(options.solver == SolverKind::LevenbergMarquardt && !solves_directly &&
                          options.pcg_has_test()) {}

bool SettledCost::is_reached_by(double change, double before, double relative_decrease) {
  const bool is_linear = std::abs(relative_decrease - 1) > MostDeviation;
  const double most = tolerance_.value_or(0) * before * (is_linear ? WhereLinear : 1);
  const bool has_settled = tolerance_ && std::abs(change) <= most;
  const bool was_confirming = std::exchange(is_confirming_, has_settled && needs_confirmation_);
  return has_settled && (!is_confirming_ || was_confirming);
}

bool SettledCost::is_confirmed_by_rejection(double change, double promised, double cost) const {
  const double most = tolerance_.value_or(0) * cost;
  return is_confirming_ && std::abs(change) <= most && promised <= most;
}

}  // namespace thallo
