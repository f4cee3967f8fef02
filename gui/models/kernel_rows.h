// Puts together what a worker, the analysis and the schedule know of the steps of a program.
#pragma once

#include <vector>

#include "core/explore/work/kernel_text.h"
#include "gui/models/kernel_data.h"
#include "gui/models/schedule_data.h"

namespace thallo::gui {

// Of the step that it is.
QString labelOf(const KernelText& kernel);
// KernelRow::fields.
QStringList fieldsOf(const KernelText& kernel);

// The steps with the largest share of `time` first. `steps` may be empty while they are not known:
// steps that are no kernels are not among the rows then, and rows know less.
std::vector<KernelRow> kernelRows(const std::vector<KernelText>& kernels,
                                  const std::vector<StepFacts>& steps, const TimeEstimate& time);

}  // namespace thallo::gui
