// Combines what a worker, the analysis and the schedule know about the steps of a program.
#pragma once

#include <vector>

#include "core/explore/worker/answers.h"
#include "gui/kernels/kernel_data.h"
#include "gui/schedule/schedule_data.h"

namespace thallo::gui {

// Returns the label of the step that launches the kernel.
QString labelOf(const KernelText& kernel);

// Returns the steps with the largest share of `time` first. `steps` may be empty while they are
// unknown: then rows contain less, and steps that are not kernels have no row.
std::vector<KernelRow> kernelRows(const std::vector<KernelText>& kernels,
                                  const std::vector<StepFacts>& steps, const TimeEstimate& time);

}  // namespace thallo::gui
