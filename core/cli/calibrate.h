// Measures the numbers that bound how fast a backend can run a memory-bound solver.
#pragma once

#include <string>
#include <vector>

#include "core/backend/backend.h"

namespace thallo::cli {

struct Measurement {
  std::string name;  // "copy"
  double value = 0;
  std::string unit;  // "GB/s"
  std::string note;  // how it was taken
};

// Takes about a second. For cuda the device's own list (core/backend/cuda/calibrate.h), for the
// others
//   copy      GB/s, read + written, by a generated kernel on a vector that leaves the caches
//   launch    us of a generated kernel on one value
// DeviceError when the backend cannot do it.
std::vector<Measurement> calibrate(Backend& backend);

}  // namespace thallo::cli
