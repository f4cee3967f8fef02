// Prints a kernel before code generation: its sections with their statements on expressions
// (THALLO_DUMP). code_print.h prints the resulting code.
#pragma once

#include <string>

#include "core/kernel/program.h"

namespace thallo {

// `graph` contains the kernel's expressions: the program's graph, or the one that a pass wrote to
// (generate.h).
std::string to_string(const KernelProgram& program, const ExprGraph& graph, const Kernel& kernel);

}  // namespace thallo
