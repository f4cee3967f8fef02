#pragma once

// A text with everything that the time of a step depends on within one problem and one device.
// Steps of different programs that have equal keys take the same time, so one measurement serves
// all of them.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/kernel/bind/sizes.h"
#include "core/kernel/generate.h"
#include "core/schedule/precision.h"

namespace thallo {

// `kernel_key` is the canonical key of the step's kernel, if it launches one. The text of a kernel
// does not say which fields and maps are bound to it or how large they are; the step's key adds
// that.
std::string step_key(const GeneratedProgram& program, const ProgramSizes& sizes, const Step& step,
                     std::string_view kernel_key, Precision precision);

// A step that is executed, as the store knows it.
struct LaunchedStep {
  std::string key;
  Phase phase = Phase::Setup;
  std::string kernel;        // key of the kernel that it launches; empty if it launches none
  std::size_t position = 0;  // among the steps of all phases of the program, in their order
};
// Returns the steps of the program that are executed at these sizes. There must be a key for each
// of its kernels.
std::vector<LaunchedStep> launched_steps(const GeneratedProgram& program, const ProgramSizes& sizes,
                                         std::span<const std::string> kernel_keys,
                                         Precision precision);

}  // namespace thallo
