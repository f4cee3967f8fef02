#pragma once

// Helpers for the calibrations of all backends (Backend::calibrate()).

#include <functional>

#include "core/cost/device/device_spec.h"

namespace thallo {

// Returns the seconds of one call of `run`, which must finish its work before it returns: warms up
// with one call, then takes the fastest of several batches. Takes about 15 ms, or three calls if
// these take longer.
double seconds_of(const std::function<void()>& run);

// Returns the spec with the source "measured DATE". None of its curves may be empty. Rates and
// costs are rounded to four digits, since measurements are not repeatable beyond that.
DeviceSpec as_measured(DeviceSpec spec);

}  // namespace thallo
