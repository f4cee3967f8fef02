// Compares how fast runs come down: by their distance to the lowest cost that any of them reached.
#pragma once

#include <map>
#include <optional>

#include "gui/solve/solve_data.h"

namespace thallo::gui {

// The lowest cost that a run that is not hidden has reached, by the number of the solve. Costs of
// different solves of a run are not comparable.
using LowestCosts = std::map<int, double>;
LowestCosts lowestCosts(const SolveSnapshot& runs);

// Returns the seconds of solving until the rest of the way to the lowest cost was at most `share`
// (0.01 is 1 %) of the way from the start, summed over all solves of the run. Absent if a solve did
// not come so far, or its start is not known.
std::optional<double> secondsTo(const SolveRun& run, const LowestCosts& lowest, double share);

// The run that others are compared with: the first one that is finished and not hidden; null if
// there is none.
const SolveRun* referenceRun(const SolveSnapshot& runs);

}  // namespace thallo::gui
