// The last step of code generation: lists what the finished code is handed at launch. Private to
// code generation.
#pragma once

#include "core/kernel/code.h"

namespace thallo {

// Fills slots, written and scattered of `code` from its bodies.
void list_slots(const KernelProgram& program, KernelCode& code);

}  // namespace thallo
