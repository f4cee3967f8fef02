// A kernel's loop nest as people read it (`thallo print program`): one line a value, in the order
// of execution. Domains are shown as NAME_ID, since their names need not be unique.
#pragma once

#include <string>

#include "core/kernel/code.h"

namespace thallo {

std::string to_string(const KernelProgram& program, const KernelCode& code);

}  // namespace thallo
