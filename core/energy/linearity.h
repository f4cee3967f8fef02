#pragma once

#include "core/energy/energy.h"

namespace thallo {

// True if the residuals are linear in the unknowns, so that one exact step is the answer: no loss
// weights them, nothing that is frozen reads an unknown, and no unknown is a pose.
bool is_linear(const Energy& energy);

}  // namespace thallo
