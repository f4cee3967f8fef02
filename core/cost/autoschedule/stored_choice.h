// Decides what a plan stores of intermediates, and which of its Sums are parallel. Private to the
// autoscheduler.
#pragma once

#include <vector>

#include "core/cost/autoschedule/part_search.h"

namespace thallo {

struct StoredChoice {
  StoredValues stored;
  std::vector<AutoStep> steps;  // one for each intermediate and Sum, and one for the minimum cut
};
// Returns the cheaper of two candidates: the one found breadth first from the inputs, and the one
// found by a minimum cut.
StoredChoice choose_stored(const Energy& energy, const std::vector<Part>& parts,
                           AutoSearch& search);

}  // namespace thallo
