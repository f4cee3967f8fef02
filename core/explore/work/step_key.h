#pragma once

// What the time of a step depends on within one problem and one device, as a text. Steps of
// different programs with equal keys take the same time, so one measurement serves both.

#include <string>

#include "core/kernel/bind/sizes.h"
#include "core/kernel/generate.h"
#include "core/schedule/precision.h"

namespace thallo {

// `kernel_key` is the canonical key of the step's kernel, if it launches one. A kernel's text does
// not say which fields and maps it is bound to and how large they are; the key adds that.
std::string step_key(const GeneratedProgram& program, const ProgramSizes& sizes, const Step& step,
                     std::string_view kernel_key, Precision precision);

}  // namespace thallo
