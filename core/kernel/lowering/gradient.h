// The derivatives of an intermediate: stored if the plan says so, and made known to the chain rule.
// Private to lowering.
#pragma once

#include <cstddef>

#include "core/kernel/lowering/program_builder.h"

namespace thallo {

// `intermediate`: position in energy.intermediates().
void lower_gradient(ProgramBuilder& builder, std::size_t intermediate);

}  // namespace thallo
