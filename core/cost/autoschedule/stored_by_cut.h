// What to store of intermediates by a minimum cut through the graph of what reads what. Private to
// the autoscheduler.
#pragma once

#include <vector>

#include "core/cost/autoschedule/part_search.h"

namespace thallo {

// The graph leads from the inputs, over the values and the derivatives of all intermediates, to the
// residuals. A cut through it says how far a nonlinear iteration computes ahead: what lies before
// it is computed once, and stored where something behind it reads it; what lies behind it is
// computed again by each kernel that needs it. An edge costs what is predicted for that: storing,
// or computing instead of reading in all parts, while all else is stored. Where intermediates need
// each other, the least cut finds sets of which no single decision is worth while.
StoredValues stored_by_cut(const Energy& energy, const std::vector<Part>& parts,
                           Estimator& estimator, AutoSearch& search);

}  // namespace thallo
