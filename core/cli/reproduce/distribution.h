// The method `distribution`: measures the schedules of the published space, all or some, and where
// the ones that have names stand among them.
#pragma once

#include "core/cli/reproduce/methods.h"

namespace thallo::cli {

// Returns milliseconds of a nonlinear iteration: best and median of the space, and those of the
// quantities that are named after a schedule; `auto_off`, the percent by which auto is slower than
// the best; `schedules` and `of`, how many of the space have a time, and how many there are. The
// curve has the share of schedules that are at most as slow, and milliseconds. It is not complete
// if the time was used up or the user interrupted it.
MeasuredCase measure_distribution(const CaseToMeasure& its);

}  // namespace thallo::cli
