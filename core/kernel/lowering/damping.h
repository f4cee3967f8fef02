// Phases SaveScale and Damp: the start of a linear solve, with the damping D, the preconditioner
// and the first residual. Private to lowering.
#pragma once

#include "core/kernel/lowering/program_builder.h"

namespace thallo {

void lower_damping(ProgramBuilder& builder);

}  // namespace thallo
