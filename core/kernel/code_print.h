// Prints a kernel's loop nest for people (`thallo print program`): one line for each value, in the
// order of execution. Domains are shown as NAME_ID, because their names need not be unique.
#pragma once

#include <string>

#include "core/kernel/code.h"

namespace thallo {

std::string to_string(const KernelProgram& program, const KernelCode& code);

}  // namespace thallo
