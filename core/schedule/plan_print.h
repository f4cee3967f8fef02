#pragma once

// Prints a Plan for people: for each part its residuals, domains, strategy, formats and where
// products are computed; then intermediates, Sums and the solver's vectors. `thallo print plan`
// prints it; nothing reads it back.

#include <string>

#include "core/schedule/plan.h"

namespace thallo {

std::string to_string(const Energy& energy, const Plan& plan);

}  // namespace thallo
