// Random subsets of the passes over kernels.
#pragma once

#include <cstdint>
#include <random>

#include "core/kernel/passes.h"

namespace thallo::test {

// Seed 0: none of them.
inline PassOptions random_passes(std::uint64_t seed) {
  PassOptions passes;
  std::mt19937_64 bits(seed);
  for (const PassInfo& pass : all_passes()) passes.*pass.is_on = seed != 0 && (bits() & 1U) != 0;
  return passes;
}

}  // namespace thallo::test
