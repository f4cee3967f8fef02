// Decides what a plan stores of intermediates and which of its Sums are parallel. Private to the
// autoscheduler.
#pragma once

#include <vector>

#include "core/cost/autoschedule/part_search.h"

namespace thallo {

// Breadth first from the inputs, and by a minimum cut; the cheaper of the two.
StoredValues choose_stored(const Energy& energy, const std::vector<Part>& parts,
                           Estimator& estimator, AutoSearch& search);

}  // namespace thallo
