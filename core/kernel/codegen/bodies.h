// The pass build_bodies: from the statements of a kernel to code, section by section, then the
// epilogue. Private to code generation.
#pragma once

#include "core/kernel/code.h"

namespace thallo {

// The kernel's expressions are in `graph`. `bounds`: see PassOptions. The result has no slots yet.
KernelCode build_bodies(const KernelProgram& program, const ExprGraph& graph, const Kernel& kernel,
                        bool bounds);

}  // namespace thallo
