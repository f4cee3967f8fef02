// Decides what to store of intermediates by a minimum cut through the dependence graph. Private to
// the autoscheduler.
#pragma once

#include <vector>

#include "core/cost/autoschedule/part_search.h"

namespace thallo {

// The graph leads from the inputs, through the values and derivatives of all intermediates, to the
// residuals. A cut through it separates what a nonlinear iteration computes ahead from the rest.
// What lies before the cut is computed once, and stored if something behind the cut reads it. What
// lies behind it is recomputed by each kernel that needs it. The capacity of an edge is the
// predicted cost: of storing, or of computing instead of reading in all parts, while everything
// else is stored. If intermediates depend on each other, the minimum cut finds sets for which no
// single decision would pay off.
StoredValues stored_by_cut(const Energy& energy, const std::vector<Part>& parts,
                           AutoSearch& search);

}  // namespace thallo
