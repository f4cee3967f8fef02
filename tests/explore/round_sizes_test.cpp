#include "core/explore/measure/round_sizes.h"

#include <gtest/gtest.h>

namespace thallo {
namespace {

using std::chrono::seconds;

TEST(RoundSizes, BeginWithFewGrowAndShrink) {
  RoundSizes sizes(2, {});
  EXPECT_EQ(sizes.next(), 8u);
  sizes.took(8, seconds(1));  // 160 would take 20 seconds
  EXPECT_EQ(sizes.next(), 16u);
  sizes.took(16, seconds(2));
  sizes.took(32, seconds(4));
  sizes.took(64, seconds(8));
  EXPECT_EQ(sizes.next(), 128u);
  sizes.took(128, seconds(16));
  EXPECT_EQ(sizes.next(), 160u);
  RoundSizes late(4, {});
  late.took(16, seconds(60));
  EXPECT_EQ(late.next(), 5u);
  late.took(5, seconds(500));
  EXPECT_EQ(late.next(), 4u);
  RoundSizes budgeted(2, seconds(80));
  budgeted.took(8, seconds(8));
  EXPECT_EQ(budgeted.next(), 10u);
}

}  // namespace
}  // namespace thallo
