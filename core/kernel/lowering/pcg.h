// Phases Direction, Update, ResetDirection and ResetUpdate: all of a linear iteration except the
// operator. Private to lowering.
#pragma once

#include "core/kernel/lowering/program_builder.h"

namespace thallo {

void lower_pcg(ProgramBuilder& builder);

}  // namespace thallo
