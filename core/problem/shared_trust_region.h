#pragma once

#include <string>

#include "core/energy/binding.h"
#include "core/energy/energy.h"

namespace thallo {

// Returns the dim whose members could be solved one by one, as no residual reads unknowns of two of
// them, although their residuals are not linear: they share one trust region. Returns "" if there
// is none with several members.
std::string members_of_one_trust_region(const Energy& energy, const Binding& binding);

}  // namespace thallo
