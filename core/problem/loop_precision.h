// Whether float is good enough for the linear loop of a solve in mixed precision.
#pragma once

#include "core/energy/binding.h"
#include "core/energy/energy.h"

namespace thallo {

// The loop needs double where rows of J may be off by more than this, relative to their length.
// It bounds what would be seen of JtJp, where errors cancel: it stays below 1e-3.
inline constexpr double MostLoopError = 0.01;

// Returns by how much rounding in float, of what is read and of each operation, may change rows of
// J at the start, relative to their length: of the group whose median row changes most. Some rows
// of each group are evaluated from their definition in double, with what is rounded on the way
// (core/energy/rounded.h), which takes some milliseconds, whatever the extents: of a group whose
// Sums have very many points few rows are, or none. The binding must be valid for the energy.
double float_error_of_rows(const Energy& energy, const Binding& binding);

}  // namespace thallo
