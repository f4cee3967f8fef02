#pragma once

// What makes one schedule better than another. A program that takes less time for an iteration may
// need more of them, so that the time to a cost stands beside the time of an iteration.

#include <string_view>
#include <vector>

#include "core/explore/store_records.h"

namespace thallo {

// The time of a nonlinear iteration, or until the cost of a solve is within one percent, or a tenth
// of a percent, of the lowest cost that any schedule has reached.
enum class Objective { NonlinearIteration, WithinPercent, WithinTenthPercent };
std::string_view to_string(Objective objective);  // "nonlinear", "1%", "0.1%"
Expected<Objective> parse_objective(std::string_view text);

// The lowest cost of a trace; infinite when it has none.
double lowest_cost(const std::vector<CostPoint>& trace);
// The seconds of an ok result by the objective, given the lowest cost of all. Infinite when its
// solve has not come that far.
double seconds_of(const ScheduleResult& result, Objective objective, double lowest);

}  // namespace thallo
