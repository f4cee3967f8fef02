// The kernels of a few random energies; of many in the slow run.
#include <gtest/gtest.h>

#include "tests/cuda/random_kernels.h"
#include "tests/cuda/support.h"

namespace thallo::test {
namespace {

// Finds texts that NVRTC or ptxas refuse where features meet that no problem has together.
TEST(KernelsOfRandomEnergies, CompileSilentlyForHopper) {
  THALLO_REQUIRE_NVRTC();
  DistinctKernels kernels;
  add_random(kernels, 0);
  // A root that is needed beside the branch it is computed in, but as rsqrt of its argument alone.
  add_random(kernels, make_random_stencil_energy(200'121));
  EXPECT_GT(kernels.size(), 50u);
  kernels.expect_compile_silently({"sm_90"});
}

}  // namespace
}  // namespace thallo::test
