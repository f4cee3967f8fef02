#pragma once

// A text with everything that the time of a step depends on within one problem and one device.
// Steps of different programs that have equal keys take the same time, so one measurement serves
// all of them.

#include <string>

#include "core/kernel/bind/sizes.h"
#include "core/kernel/generate.h"
#include "core/schedule/precision.h"

namespace thallo {

// `kernel_key` is the canonical key of the step's kernel, if it launches one. The text of a kernel
// does not say which fields and maps are bound to it or how large they are; the step's key adds
// that.
std::string step_key(const GeneratedProgram& program, const ProgramSizes& sizes, const Step& step,
                     std::string_view kernel_key, Precision precision);

}  // namespace thallo
