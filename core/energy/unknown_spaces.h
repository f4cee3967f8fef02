// The spaces of an energy's unknowns: all unknowns over the same dims form one. Spaces are numbered
// in the order in which their first unknowns are declared.
#pragma once

#include <cstddef>
#include <vector>

#include "core/energy/energy.h"

namespace thallo {

// Returns the unknowns of each space, in declaration order.
std::vector<std::vector<FieldId>> unknown_spaces(const Energy& energy);
// Returns the number of the space that the unknown belongs to.
std::size_t space_of(const Energy& energy, FieldId unknown);

}  // namespace thallo
