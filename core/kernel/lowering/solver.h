// The solver's own kernels, which no schedule changes: masks, damping, preconditioner, PCG or the
// dense solve, retraction and acceptance. Private to lowering.
#pragma once

#include "core/kernel/lowering/program_builder.h"

namespace thallo {

void lower_solver(ProgramBuilder& builder);

}  // namespace thallo
