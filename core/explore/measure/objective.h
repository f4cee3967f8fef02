#pragma once

// Defines what makes one schedule better than another. A program with faster iterations may need
// more of them, so the time to reach a cost is an alternative to the time of an iteration.

#include <vector>

#include "core/explore/store/store_records.h"

namespace thallo {

// The time of a nonlinear iteration, or the time until the cost of a solve is within one percent
// (or a tenth of a percent) of the lowest cost that any schedule reached.
enum class Objective { NonlinearIteration, WithinPercent, WithinTenthPercent };
template <>
inline constexpr EnumNames enum_names<Objective> = {"objective", {"nonlinear", "1%", "0.1%"}};

// Returns the lowest cost of a trace; infinity if the trace is empty.
double lowest_cost(const std::vector<CostPoint>& trace);
// Returns the seconds of a successful result by the objective, given the lowest cost over all
// schedules. Infinite if the solve never came close enough to that cost.
double seconds_of(const ScheduleResult& result, Objective objective, double lowest);

}  // namespace thallo
