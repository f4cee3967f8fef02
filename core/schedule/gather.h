#pragma once

// Computing a transposed product at the output asks for every element of an unknown which residual
// points read it: the inverse of an access. An access such as X(x - 1, y) over the residual domains
// (x, y) has the inverse x = e0 + 1, y = e1; with a Sum around it, X(x + k), the residual's own
// domains are solved for and the Sum's stay: x = e0 - k, for every k.

#include <span>
#include <string>
#include <vector>

#include "core/energy/energy.h"
#include "core/schedule/plan.h"

namespace thallo {

// The residual point at which `index` is the element `element` (one domain per component of the
// index): a component for each of `residual_domains`, in `element` and the other domains of the
// index. Fails when there is none or more than one; the message says why, without naming the
// access.
Expected<DomainSubstitution> invert_access(IndexTable& indices, IndexId index,
                                           std::span<const DomainId> residual_domains,
                                           std::span<const DomainId> element);

// Can the transposed products of these residuals be computed at the output? The message names the
// first access that has no inverse.
Expected<void> check_gather(const Energy& energy, const std::vector<ResidualRef>& residuals);

// Can their part of JtJ be stored as diagonals? The pairs of unknown elements that meet in a
// residual must be known from the energy: those of accesses with inverses are, at fixed offsets
// from each other.
Expected<void> check_jtj(const Energy& energy, const std::vector<ResidualRef>& residuals);

}  // namespace thallo
