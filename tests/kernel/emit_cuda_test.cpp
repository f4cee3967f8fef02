#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/kernel/emit.h"
#include "tests/kernel/hand_kernels.h"
#include "tests/support/nvrtc.h"

namespace thallo {
namespace {

using testing::HasSubstr;
using testing::Not;

EmitOptions cuda(bool double_precision = false, int index_bits = 32) {
  EmitOptions options;
  options.dialect = Dialect::Cuda;
  options.double_precision = double_precision;
  options.index_bits = index_bits;
  return options;
}

template <class Kernel>
class EmittedCuda : public testing::Test {};
using Kernels = testing::Types<test::StencilKernel, test::GraphKernel, test::EverythingKernel>;
TYPED_TEST_SUITE(EmittedCuda, Kernels);

TYPED_TEST(EmittedCuda, CompilesWithoutAWarning) {
  const TypeParam kernel;
  for (const bool double_precision : {false, true}) {
    for (const int index_bits : {32, 64}) {
      const std::string text =
          emit(kernel.hand.program, kernel.code, cuda(double_precision, index_bits));
      THALLO_COMPILE_OR_SKIP(result, text);
      EXPECT_TRUE(result.ok) << text;
      EXPECT_EQ(result.log, "") << text;
    }
  }
}

TEST(EmitCuda, SetsTheLoopConditionInTheEpilogueAndBehindAClosedGate) {
  const test::GraphKernel kernel;
  const std::string text = emit(kernel.hand.program, kernel.code, cuda());
  EXPECT_THAT(text, HasSubstr("cudaGraphSetConditional(a.loop, 0u);"));
  EXPECT_THAT(text, HasSubstr("if (a.loop != 0) cudaGraphSetConditional(a.loop, !b0 ? 1u : 0u);"));
  const test::StencilKernel without;
  EXPECT_THAT(emit(without.hand.program, without.code, cuda()),
              Not(HasSubstr("cudaGraphSetConditional")));
}

TEST(EmitCuda, ReadsWhatNobodyWritesThroughTheReadOnlyPath) {
  const test::StencilKernel kernel;
  THALLO_COMPILE_OR_SKIP(result, emit(kernel.hand.program, kernel.code, cuda()));
  EXPECT_THAT(result.ptx, HasSubstr("ld.global.nc.f32"));
}

TEST(EmitCuda, TheFloatDialectComputesInFloat) {
  const test::StencilKernel kernel;
  THALLO_COMPILE_OR_SKIP(result, emit(kernel.hand.program, kernel.code, cuda()));
  EXPECT_THAT(result.ptx, Not(HasSubstr("mul.f64")));
  EXPECT_THAT(result.ptx, Not(HasSubstr("add.f64")));
  EXPECT_THAT(result.ptx, Not(HasSubstr("fma.rn.f64")));
}

TEST(LaunchBlocks, CoverThePointsAndAreFewForReductions) {
  EXPECT_EQ(launch_blocks(0, 256, false, false, 100), 0);
  EXPECT_EQ(launch_blocks(1, 256, false, false, 100), 1);
  EXPECT_EQ(launch_blocks(256, 256, false, false, 100), 1);
  EXPECT_EQ(launch_blocks(257, 256, false, true, 100), 2);
  EXPECT_EQ(launch_blocks(1'000'000, 256, false, false, 100), 3907);
  EXPECT_EQ(launch_blocks(1'000'000, 256, true, true, 100), 100);
  // A lone block hands its sums to the epilogue in registers.
  EXPECT_EQ(launch_blocks(1000, 256, true, true, 100), 1);
  EXPECT_EQ(launch_blocks(1000, 256, true, false, 100), 4);
  EXPECT_EQ(launch_blocks(0, 256, true, true, 100), 0);
}

}  // namespace
}  // namespace thallo
