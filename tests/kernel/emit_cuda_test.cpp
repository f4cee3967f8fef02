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

TEST(EmitCuda, WaitsForTheKernelBeforeItAboveAllReads) {
  const test::StencilKernel kernel;
  THALLO_COMPILE_OR_SKIP(result, emit(kernel.hand.program, kernel.code, cuda()));
  const std::size_t wait = result.ptx.find("griddepcontrol.wait");
  ASSERT_NE(wait, std::string::npos);
  EXPECT_LT(wait, result.ptx.find("ld.global"));
}

TEST(EmitCuda, TheFloatDialectComputesInFloat) {
  const test::StencilKernel kernel;
  THALLO_COMPILE_OR_SKIP(result, emit(kernel.hand.program, kernel.code, cuda()));
  EXPECT_THAT(result.ptx, Not(HasSubstr("mul.f64")));
  EXPECT_THAT(result.ptx, Not(HasSubstr("add.f64")));
  EXPECT_THAT(result.ptx, Not(HasSubstr("fma.rn.f64")));
}

std::int64_t blocks_of(std::int64_t points, bool has_reductions, bool has_epilogue) {
  return launch_blocks({.num_points = points,
                        .block_size = 256,
                        .has_reductions = has_reductions,
                        .has_epilogue = has_epilogue,
                        .resident_blocks = 100,
                        .num_multiprocessors = 20});
}

TEST(LaunchBlocks, CoverThePointsAndAreFewForReductions) {
  EXPECT_EQ(blocks_of(0, false, false), 0);
  EXPECT_EQ(blocks_of(1, false, false), 1);
  EXPECT_EQ(blocks_of(256, false, false), 1);
  EXPECT_EQ(blocks_of(257, false, true), 2);
  EXPECT_EQ(blocks_of(1'000'000, false, false), 3907);
  EXPECT_EQ(blocks_of(1'000'000, true, true), 80);  // 1024 threads a multiprocessor
  // A lone block hands its sums to the epilogue in registers.
  EXPECT_EQ(blocks_of(1000, true, true), 1);
  EXPECT_EQ(blocks_of(1000, true, false), 4);
  EXPECT_EQ(blocks_of(0, true, true), 0);
}

TEST(LaunchBlocks, AreFewerWhereAThreadComputesSeveralPoints) {
  LaunchSize size{.num_points = 1025,
                  .lanes = 4,
                  .block_size = 256,
                  .resident_blocks = 100,
                  .num_multiprocessors = 20};
  EXPECT_EQ(launch_blocks(size), 2);
  size.num_points = 1'000'000;
  EXPECT_EQ(launch_blocks(size), 977);
  size.has_reductions = true;
  EXPECT_EQ(launch_blocks(size), 100);  // all that are resident
  size.has_epilogue = true;
  EXPECT_EQ(launch_blocks(size), 80);  // which waits for fewer
  size.resident_blocks = 30;
  EXPECT_EQ(launch_blocks(size), 30);
}

TEST(LaunchBlocks, AreAsManyAsTheRowsOfAThreadLeave) {
  LaunchSize size{.num_points = 1025,
                  .block_size = 256,
                  .rows_per_thread = 4,
                  .resident_blocks = 100,
                  .num_multiprocessors = 20};
  EXPECT_EQ(launch_blocks(size), 2);
  size.has_reductions = size.has_epilogue = true;
  EXPECT_EQ(launch_blocks(size), 2);
  size.rows_per_thread = 1;
  EXPECT_EQ(launch_blocks(size), 5);
  size.num_points = 1'000'000;
  EXPECT_EQ(launch_blocks(size), 3907);  // more than are resident
}

}  // namespace
}  // namespace thallo
