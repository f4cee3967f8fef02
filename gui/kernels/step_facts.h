// Lists the steps of a program with what they do, their predicted times, and the directives that
// asked for them.
#pragma once

#include <vector>

#include "core/cost/pricing/step_times.h"
#include "core/explore/space/explored_problem.h"
#include "gui/kernels/kernel_data.h"

namespace thallo::gui {

// Returns one entry for each label, in program order. `work` and `prediction` must belong to the
// schedule's program on the device.
Expected<std::vector<StepFacts>> stepFacts(const ExploredProblem& problem, const Schedule& schedule,
                                           const ProgramWork& work, const Prediction& prediction,
                                           const PriceScope& scope);

DeviceRoofs roofsOf(const DeviceSpec& device, Precision precision);

}  // namespace thallo::gui
