#pragma once

// What cost models see of a step, in few numbers: those that the store keeps and the app shows.

#include <string>

#include "core/cost/work.h"

namespace thallo {

// Of one run of the step; core/kernel/features.h says how they are counted.
struct StepFeatures {
  double points = 0;
  double flops = 0;
  double loads = 0;  // scalars
  double reads = 0;  // bytes, as are the others below
  double writes = 0;
  double scatters = 0;
  double atomics = 0;  // their number
  double must_read = 0;
  double must_write = 0;

  static StepFeatures of(const StepWork& step);
  // A JSON object, and back.
  std::string json() const;
  static StepFeatures from_json(const std::string& text);

  friend bool operator==(const StepFeatures&, const StepFeatures&) = default;
};

}  // namespace thallo
