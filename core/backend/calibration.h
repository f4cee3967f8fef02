#pragma once

// What the calibrations of all backends share (Backend::calibrate()).

#include <functional>

#include "core/cost/device_spec.h"

namespace thallo {

// Seconds of one call of `run`, whose work is done on return: those of the fastest of several
// batches, after a call to warm up. Takes about 15 ms, or three calls if these take longer.
double seconds_of(const std::function<void()>& run);

// The spec, in which no curve may be empty, with the source "measured DATE". Rates and costs are
// rounded to four digits, since no measurement repeats to more.
DeviceSpec as_measured(DeviceSpec spec);

}  // namespace thallo
