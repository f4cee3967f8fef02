// How far apart unknowns are once a space is eliminated: what conjugate gradients on the Schur
// complement have to carry from one end to the other.
#pragma once

#include <cstdint>
#include <vector>

#include "core/energy/binding.h"
#include "core/energy/energy.h"

namespace thallo {

// Returns how many hops two of the kept elements are apart that are about as far apart as any: a
// hop leads to each that meets an eliminated element which the first one meets. It goes from some
// element to the farthest one, and from there to the farthest; parts that no hop reaches do not
// count. 0 if no maps lead from residuals to both spaces. Takes a few passes over the maps.
double kept_hops(const Energy& energy, const Binding& binding, FieldId eliminated);

// The kept elements, those of all spaces numbered on, and which of them meet at an eliminated one:
// the neighbors of element i, itself among them, are [offsets[i], offsets[i + 1]), ascending.
struct KeptGraph {
  std::vector<std::int32_t> offsets, neighbors;
};

// Takes time for each pair of kept elements at each eliminated one.
KeptGraph kept_graph(const Energy& energy, const Binding& binding, FieldId eliminated);

}  // namespace thallo
