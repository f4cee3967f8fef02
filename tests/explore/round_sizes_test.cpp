#include "core/explore/measure/round_sizes.h"

#include <gtest/gtest.h>

namespace thallo {
namespace {

using std::chrono::seconds;

TEST(RoundSizes, BeginWithFewForEachWorkerAndGrow) {
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
}

TEST(RoundSizes, ShrinkToOneForEachWorker) {
  RoundSizes sizes(4, {});
  sizes.took(16, seconds(60));
  EXPECT_EQ(sizes.next(), 5u);
  sizes.took(5, seconds(500));
  EXPECT_EQ(sizes.next(), 4u);
}

TEST(RoundSizes, AreAPartOfTheBudget) {
  RoundSizes sizes(2, seconds(80));
  sizes.took(8, seconds(8));
  EXPECT_EQ(sizes.next(), 10u);
}

}  // namespace
}  // namespace thallo
