#pragma once

// Draws how soon searches find fast schedules: the best time so far, a line for the median of the
// runs of a search and a band from the fastest of them to the slowest. Replays and recorded runs
// have a panel each, since only the seconds of the latter have compiling and measuring in them.

#include <vector>

#include "core/explore/report/figures.h"
#include "core/explore/report/replayed_curves.h"

namespace thallo {

// Returns the figures that there are times for:
//
//   curves_by_schedules   against the schedules that were measured
//   curves_by_time        against seconds
std::vector<Figure> curve_figures(const CurveComparison& comparison);

}  // namespace thallo
