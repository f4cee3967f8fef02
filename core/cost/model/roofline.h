#pragma once

// The cost model of the Thallo paper (Mara et al. 2021, section 5): a kernel takes the time of its
// memory accesses or of its arithmetic, whichever is longer. If the threads of a warp do not access
// adjacent places, accesses are rounded up to whole sectors. An atomic addition counts once per
// warp if the order of iteration lets the warp sum first. Caches, contention and launch costs are
// not modelled.

#include <memory>

#include "core/cost/model/cost_model.h"

namespace thallo {

std::unique_ptr<const CostModel> make_roofline_model();

}  // namespace thallo
