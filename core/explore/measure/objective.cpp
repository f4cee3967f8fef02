#include "core/explore/measure/objective.h"

#include <algorithm>
#include <limits>

namespace thallo {
namespace {

constexpr double Never = std::numeric_limits<double>::infinity();

}  // namespace

double lowest_cost(const std::vector<CostPoint>& trace) {
  double lowest = Never;
  for (const CostPoint& point : trace) lowest = std::min(lowest, point.cost);
  return lowest;
}

double seconds_of(const ScheduleResult& result, Objective objective, double lowest) {
  if (objective == Objective::NonlinearIteration) return result.nonlinear_seconds;
  const double allowed = lowest * (objective == Objective::WithinPercent ? 1.01 : 1.001);
  for (const CostPoint& point : result.trace)
    if (point.cost <= allowed) return point.seconds;
  return Never;
}

}  // namespace thallo
