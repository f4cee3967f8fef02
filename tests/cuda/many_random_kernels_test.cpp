// The kernels of hundreds of random energies.
#include <gtest/gtest.h>

#include "tests/cuda/random_kernels.h"
#include "tests/cuda/support.h"

namespace thallo::test {
namespace {

constexpr std::uint64_t NumBlocks = 8;
constexpr std::uint64_t BlockSize = 25;

class ManyRandomKernels : public testing::TestWithParam<std::uint64_t> {};

TEST_P(ManyRandomKernels, CompileSilentlyForHopper) {
  THALLO_REQUIRE_NVRTC();
  DistinctKernels kernels;
  for (std::uint64_t i = 0; i < BlockSize; ++i)
    add_random(kernels, 200'000 + GetParam() * BlockSize + i);
  kernels.expect_compile_silently({"sm_90"});
}

INSTANTIATE_TEST_SUITE_P(Seeds, ManyRandomKernels, testing::Range(std::uint64_t{0}, NumBlocks));

}  // namespace
}  // namespace thallo::test
