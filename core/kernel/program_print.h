// Prints a program for people: its buffers, and what each phase of the solver does, in order
// (`thallo print program`). code_print.h prints the loop nests of its kernels.
#pragma once

#include <string>
#include <string_view>

#include "core/kernel/program.h"

namespace thallo {

std::string to_string(const KernelProgram& program);

std::string_view to_string(BufferKind kind);  // "a scalar per unknown scalar"

}  // namespace thallo
