// The steps of parallel Sums, with their estimated work: kernels with a thread for every point of a
// Sum. Private to estimates.
#pragma once

#include <vector>

#include "core/cost/pricing/estimate/part_steps.h"
#include "core/cost/pricing/estimate/resolver.h"

namespace thallo {

// Clears and adds up the values of a Sum at a trial point.
std::vector<StepWork> sum_value_steps(const SumAnatomy& sum, const Anatomy& anatomy,
                                      Resolver& resolver, const EstimateSizes& sizes);
// The same of what the Sum adds to Jp, in a linear iteration.
std::vector<StepWork> sum_product_steps(const SumAnatomy& sum, const Anatomy& anatomy,
                                        Resolver& resolver, const EstimateSizes& sizes,
                                        VectorStorage vectors);

}  // namespace thallo
