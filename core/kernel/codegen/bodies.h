// The pass build_bodies: from the statements of a kernel to code, section by section, then the
// epilogue. Private to code generation.
#pragma once

#include "core/kernel/code.h"

namespace thallo {

// The kernel's expressions are in `graph`. The result has no slots yet. With the pass `bounds`,
// masks become nested guards, and loads under a known bound lose their own guards.
KernelCode build_bodies(const KernelProgram& program, const ExprGraph& graph, const Kernel& kernel);

}  // namespace thallo
