// How far apart unknowns are once a space is eliminated: what conjugate gradients on the Schur
// complement have to carry from one end to the other.
#pragma once

#include "core/energy/binding.h"
#include "core/energy/energy.h"

namespace thallo {

// Returns the hops between the two elements that are farthest apart, of those that are kept, found
// from an element in the middle of most: a hop leads to any that meets an eliminated element which
// the first one meets. 0 if no maps lead from residuals to both. Takes a few passes over the maps.
double kept_hops(const Energy& energy, const Binding& binding, FieldId eliminated);

}  // namespace thallo
