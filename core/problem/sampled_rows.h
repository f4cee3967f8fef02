// What some rows of J at the start tell of the linear systems of a solve.
#pragma once

#include "core/energy/binding.h"
#include "core/energy/energy.h"

namespace thallo {

struct SampledRows {
  // By how much rounding in float, of what is read and of each operation, may change rows of J,
  // relative to their length: of the group whose median row changes most.
  double float_error = 0;
  // How firmly the data hold each element, beside how firmly its neighbors do: the least of
  // |J c|^2 / sum of d c^2 over all c that move all elements alike, for the diagonal d of JtJ. It
  // bounds the least eigenvalue of JtJ with a unit diagonal, so conjugate gradients take about one
  // over its root iterations.
  double anchoring = 0;
  // The share of the elements that no exclusion holds.
  double free = 1;
};

// The linear loop needs double where rows of J may be off by more than this in float. It bounds
// what would be seen of JtJp, where errors cancel: it stays below 1e-3.
inline constexpr double MostLoopError = 0.01;

// Some rows of each group are evaluated from their definition in double, with what is rounded on
// the way (core/energy/rounded.h), which takes some milliseconds, whatever the extents: of a group
// whose Sums have very many points few rows are, or none. The binding must be valid for the energy.
SampledRows sample_rows(const Energy& energy, const Binding& binding);

}  // namespace thallo
