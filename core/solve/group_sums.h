// What the residual groups of an energy have come to.
#pragma once

#include <vector>

#include "core/backend/backend.h"
#include "core/solve/summary.h"

namespace thallo {

// Evaluates each group once, at the current unknowns of an executable that is bound, started, and
// made with ProgramOptions::sums_groups. In the order of the energy.
std::vector<GroupSummary> sum_groups(Executable& executable, const Energy& energy);

}  // namespace thallo
