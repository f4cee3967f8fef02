#include "core/base/error.h"

#include <gmock/gmock.h>

namespace thallo {
namespace {

using testing::AllOf, testing::HasSubstr;

template <class F>
std::string internal_error_of(const F& f) {
  try {
    f();
  } catch (const InternalError& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(Assert, NamesTheConditionThePlaceAndItsExplanation) {
  const auto text = internal_error_of([] { THALLO_ASSERT(1 + 1 == 3); });
  EXPECT_THAT(text, AllOf(HasSubstr("1 + 1 == 3 does not hold"),
                          HasSubstr("at tests/base/error_test.cpp:"), HasSubstr("please report")));
  const auto explained =
      internal_error_of([] { THALLO_ASSERT(false, "node {} of {}", 3, "graph"); });
  EXPECT_THAT(explained, HasSubstr("false does not hold: node 3 of graph"));
}

TEST(Assert, PrintsBothOperandsEachEvaluatedOnce) {
  const int a = 4;
  const int b = 3;
  EXPECT_THAT(internal_error_of([&] { THALLO_ASSERT_EQ(a, b); }),
              HasSubstr("a == b does not hold: left is 4, right is 3"));
  EXPECT_THAT(internal_error_of([&] { THALLO_ASSERT_LT(a, b); }),
              HasSubstr("a < b does not hold: left is 4, right is 3"));
  int calls = 0;
  const auto next = [&] { return ++calls; };
  THALLO_ASSERT_LE(next(), 1);
  EXPECT_EQ(calls, 1);
}

TEST(DeviceError, SaysCallKernelAndCode) {
  EXPECT_STREQ(DeviceError("cuLaunchKernel", "CUDA_ERROR_ILLEGAL_ADDRESS (700)", "jtjp").what(),
               "cuLaunchKernel(jtjp): CUDA_ERROR_ILLEGAL_ADDRESS (700)");
  EXPECT_STREQ(DeviceError("cuInit", "CUDA_ERROR_NO_DEVICE (100)").what(),
               "cuInit: CUDA_ERROR_NO_DEVICE (100)");
}

}  // namespace
}  // namespace thallo
