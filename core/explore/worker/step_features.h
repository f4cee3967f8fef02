#pragma once

// The few numbers of a step that the app shows.

#include "core/cost/model/work.h"

namespace thallo {

// Counted for one run of the step, as core/kernel/features.h defines.
struct StepFeatures {
  double points = 0;
  double flops = 0;
  double loads = 0;  // scalars
  double reads = 0;  // bytes, like the members below
  double writes = 0;
  double scatters = 0;
  double atomics = 0;  // number of atomic operations
  double must_read = 0;
  double must_write = 0;

  static StepFeatures of(const StepWork& step);

  friend bool operator==(const StepFeatures&, const StepFeatures&) = default;
};

}  // namespace thallo
