// The kernels that store intermediates and parallel Sums, as the plan says: their values before
// every evaluation, derivatives at every linearization. Private to lowering.
#pragma once

#include "core/kernel/lowering/program_builder.h"

namespace thallo {

void lower_stored(ProgramBuilder& builder);

}  // namespace thallo
