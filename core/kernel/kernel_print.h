// A kernel as people read it before code generation: its sections with their statements on
// expressions (THALLO_DUMP). The code it becomes is printed by code_print.h.
#pragma once

#include <string>

#include "core/kernel/program.h"

namespace thallo {

// `graph` has the kernel's expressions: the program's, or the one that a pass wrote to
// (generate.h).
std::string to_string(const KernelProgram& program, const ExprGraph& graph, const Kernel& kernel);

}  // namespace thallo
