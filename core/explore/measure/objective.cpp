#include "core/explore/measure/objective.h"

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <utility>

#include "core/base/error.h"

namespace thallo {
namespace {

constexpr double Never = std::numeric_limits<double>::infinity();
constexpr std::array<std::pair<Objective, std::string_view>, 3> ObjectiveNames = {
    {{Objective::NonlinearIteration, "nonlinear"},
     {Objective::WithinPercent, "1%"},
     {Objective::WithinTenthPercent, "0.1%"}}};

}  // namespace

std::string_view to_string(Objective objective) {
  for (const auto& [value, name] : ObjectiveNames)
    if (value == objective) return name;
  THALLO_UNREACHABLE();
}

Expected<Objective> parse_objective(std::string_view text) {
  Diagnostic fault{"there is no objective '" + std::string(text) + "'", {}, {}};
  for (const auto& [value, name] : ObjectiveNames) {
    if (name == text) return value;
    fault.alternatives.emplace_back(name);
  }
  return fail(std::move(fault));
}

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
