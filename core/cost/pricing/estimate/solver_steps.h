// The steps of the solver itself, which every program has, with their estimated work: what PCG does
// beside applying the operator, damping and trial points. Private to estimates.
#pragma once

#include <vector>

#include "core/cost/pricing/estimate/part_steps.h"

namespace thallo {

// `starts_product`: some kernel of the operator gathers Ap, so that the direction need not start
// it.
std::vector<StepWork> solver_steps(const Anatomy& anatomy, const EstimateSizes& sizes,
                                   const Plan& plan, bool starts_product);

}  // namespace thallo
