#pragma once

#include "core/base/diagnostic.h"
#include "core/energy/binding.h"
#include "core/energy/energy.h"

namespace thallo {

// Fails for a read at a number that is outside of its dim, P(7) of three points: a mistake, though
// it has a value, 0. A test of bounds with that number asks for it. All extents must be set.
Expected<void> check_constant_indices(const Energy& energy, const Binding& binding);

}  // namespace thallo
