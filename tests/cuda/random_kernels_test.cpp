// Kernels of random energies under random plans, in float or double: of a few energies, or of
// hundreds with THALLO_SLOW_TESTS.
#include <gtest/gtest.h>

#include <cstdint>

#include "core/energy/found/intermediates.h"
#include "core/energy/random/random_energy.h"
#include "tests/cuda/distinct_kernels.h"
#include "tests/cuda/support.h"
#include "tests/support/damped_blocks.h"
#include "tests/support/in_turn.h"
#include "tests/support/random_plan.h"

namespace thallo::test {
namespace {

void add_random(DistinctKernels& kernels, const RandomEnergy& random) {
  const Energy sited = with_found_intermediates(random.energy, FoundSites::All);
  kernels.add(random.text(), sited, random_plan(sited, random.seed), damped_blocks,
              random.seed % 2 == 0 ? Precision::Double : Precision::Float);
}

// Finds texts that NVRTC or ptxas refuse where features meet that no problem has together.
TEST(KernelsOfRandomEnergies, CompileSilentlyForHopper) {
  THALLO_REQUIRE_NVRTC();
  DistinctKernels kernels;
  // A root that is needed beside the branch it is computed in, but as rsqrt of its argument alone.
  add_random(kernels, make_random_stencil_energy(200'121));
  for (std::uint64_t seed = 0; seed < (TakesAllVariants ? 200 : 1); ++seed) {
    add_random(kernels, make_random_energy(seed));
    add_random(kernels, make_random_stencil_energy(seed));
  }
  EXPECT_GT(kernels.size(), 50u);
  kernels.expect_compile_silently({"sm_90"});
}

}  // namespace
}  // namespace thallo::test
