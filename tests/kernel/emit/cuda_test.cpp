#include <gmock/gmock.h>

#include "core/kernel/emit.h"
#include "tests/kernel/hand_kernels.h"
#include "tests/support/nvrtc.h"

namespace thallo {
namespace {

using testing::HasSubstr, testing::Not;

EmitOptions cuda(Precision precision = Precision::Float, int index_bits = 32) {
  EmitOptions options;
  options.dialect = Dialect::Cuda;
  options.precision = precision;
  options.index_bits = index_bits;
  return options;
}

template <class Kernel>
class EmittedCuda : public testing::Test {};
using Kernels = testing::Types<test::StencilKernel, test::GraphKernel, test::EverythingKernel,
                               test::WavesKernel>;
TYPED_TEST_SUITE(EmittedCuda, Kernels);

TYPED_TEST(EmittedCuda, CompilesWithoutAWarning) {
  const TypeParam kernel;
  for (const Precision precision : {Precision::Float, Precision::Double}) {
    for (const int index_bits : {32, 64}) {
      const std::string text = emit(kernel.hand.program, kernel.code, cuda(precision, index_bits));
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

TEST(EmitCuda, WaitsForTheKernelBeforeItAndComputesInFloat) {
  const test::StencilKernel kernel;
  THALLO_COMPILE_OR_SKIP(result, emit(kernel.hand.program, kernel.code, cuda()));
  const std::size_t wait = result.ptx.find("griddepcontrol.wait");
  ASSERT_NE(wait, std::string::npos);
  EXPECT_LT(wait, result.ptx.find("ld.global"));
  EXPECT_THAT(result.ptx, Not(HasSubstr("mul.f64")));
  EXPECT_THAT(result.ptx, Not(HasSubstr("add.f64")));
  EXPECT_THAT(result.ptx, Not(HasSubstr("fma.rn.f64")));
}

}  // namespace
}  // namespace thallo
