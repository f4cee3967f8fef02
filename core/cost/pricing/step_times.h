#pragma once

// What the steps of a program wait for, and what would help.

#include <string>
#include <vector>

#include "core/cost/model/cost_model.h"

namespace thallo {

// What the price of a program assumes.
struct PriceScope {
  const CostModel& model;
  const DeviceSpec& device;
  const IterationCounts& counts;
};

struct StepTime {
  std::string step;  // its label
  Phase phase = Phase::Setup;
  double runs = 0;     // in a nonlinear iteration
  TimeParts parts;     // of a run
  std::string remedy;  // for what it waits for longest
};
// Returns the steps of a program that run in nonlinear iterations, in its order. Steps of one phase
// and one label are one.
std::vector<StepTime> step_times(const ProgramWork& work, const PriceScope& scope);

// Says what would make a step faster that waits for this: "gather instead of scatter: ...".
std::string remedy(Wait wait, const StepWork& step, const ProgramWork& work,
                   const PriceScope& scope);

}  // namespace thallo
