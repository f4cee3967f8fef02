// A program as people read it: its buffers, and what each phase of the solver does, in order
// (`thallo print program`). The loop nests of its kernels are printed by to_string(program, code).
#pragma once

#include <string>

#include "core/kernel/program.h"

namespace thallo {

std::string to_string(const KernelProgram& program);

}  // namespace thallo
