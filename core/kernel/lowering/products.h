// The energy's own kernels: decides which kernels each part has (cost, jtf and those of the linear
// operator, as the part's strategy and formats say) and in which order their phases launch them.
// Private to lowering.
#pragma once

#include "core/kernel/lowering/program_builder.h"

namespace thallo {

void lower_products(ProgramBuilder& builder);

}  // namespace thallo
