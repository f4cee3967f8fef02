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
class EmitCuda : public testing::Test {};
using Kernels = testing::Types<test::StencilKernel, test::GraphKernel, test::EverythingKernel>;
TYPED_TEST_SUITE(EmitCuda, Kernels);

TYPED_TEST(EmitCuda, CompilesWithoutAWarning) {
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

}  // namespace
}  // namespace thallo
