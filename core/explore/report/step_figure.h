#pragma once

// Draws where the time of the marked schedules goes: a bar for each, divided into its steps.

#include <optional>

#include "core/explore/report/figures.h"

namespace thallo {

// Absent if no marked schedule has known steps. The steps that take longest in any of the schedules
// have inks, the same in all bars. The other steps, and what there is between steps, come last.
std::optional<Figure> step_times(const DeviceReport& report);

}  // namespace thallo
