// Kernels of random energies under random plans, in float or double.
#pragma once

#include <cstdint>

#include "core/energy/found/intermediates.h"
#include "core/energy/random/random_energy.h"
#include "tests/cuda/distinct_kernels.h"
#include "tests/support/damped_blocks.h"
#include "tests/support/random_plan.h"

namespace thallo::test {

inline void add_random(DistinctKernels& kernels, const RandomEnergy& random) {
  const Energy sited = with_found_intermediates(random.energy, FoundSites::All);
  kernels.add(random.text(), sited, random_plan(sited, random.seed), damped_blocks,
              random.seed % 2 == 0 ? Precision::Double : Precision::Float);
}

// Of a seed an energy that mixes everything, and one of stencils.
inline void add_random(DistinctKernels& kernels, std::uint64_t seed) {
  add_random(kernels, make_random_energy(seed));
  add_random(kernels, make_random_stencil_energy(seed));
}

}  // namespace thallo::test
