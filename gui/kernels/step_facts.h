// Lists the steps of a program with what they do, their predicted times, and the directives that
// asked for them.
#pragma once

#include <vector>

#include "gui/kernels/kernel_data.h"
#include "gui/problem/open_problem.h"

namespace thallo::gui {

// Returns one entry for each label, in program order.
Expected<std::vector<StepFacts>> stepFacts(OpenProblem& problem, const Schedule& schedule);

DeviceRoofs roofsOf(const DeviceSpec& device, Precision precision);

}  // namespace thallo::gui
