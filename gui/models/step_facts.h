// The steps of a program with what they do, what they are predicted to take time for, and who asked
// for them.
#pragma once

#include <vector>

#include "core/cost/cost_model.h"
#include "core/explore/work/explored_problem.h"
#include "gui/models/kernel_data.h"

namespace thallo::gui {

// One a label, in the order in which the program comes to them. `work` and `prediction` are those
// of the schedule's program on the device.
Expected<std::vector<StepFacts>> stepFacts(const ExploredProblem& problem, const Schedule& schedule,
                                           const ProgramWork& work, const Prediction& prediction,
                                           const DeviceSpec& device);

DeviceRoofs roofsOf(const DeviceSpec& device, Precision precision);

}  // namespace thallo::gui
