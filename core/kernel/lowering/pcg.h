// Phases Direction, Update, ResetDirection and ResetUpdate: a linear iteration but for the
// operator. Private to lowering.
#pragma once

#include "core/kernel/lowering/program_builder.h"

namespace thallo {

void lower_pcg(ProgramBuilder& builder);

}  // namespace thallo
