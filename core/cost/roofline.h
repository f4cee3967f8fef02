#pragma once

// The cost model of the Thallo paper (Mara et al. 2021, section 5): a kernel takes the time of its
// memory accesses or that of its arithmetic, whichever is longer. Accesses that the threads of a
// warp do not make to adjacent places are rounded up to whole sectors, and an atomic addition
// counts once a warp where the order of iteration lets a warp add up first. Caches, contention and
// the cost of a launch are not in it.

#include <memory>

#include "core/cost/cost_model.h"

namespace thallo {

std::unique_ptr<const CostModel> make_roofline_model();

}  // namespace thallo
