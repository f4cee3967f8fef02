#include "core/explore/measure/schedule_count.h"

#include <gtest/gtest.h>

namespace thallo {
namespace {

TEST(ScheduleCount, GoesOnOverListsThatAreExpected) {
  ScheduleCount count;
  count.expect(600);
  count.begin(256);
  count.set(1);
  EXPECT_EQ(count.done(), 1);
  count.set(256);
  count.begin(256);
  EXPECT_EQ(count.done(), 256);
  count.set(100);
  EXPECT_EQ(count.done(), 356);
  EXPECT_EQ(count.total(), 600);
}

TEST(ScheduleCount, BeginsAnewWithAListThatIsNot) {
  ScheduleCount count;
  count.begin(5);
  count.set(5);
  count.begin(7);
  EXPECT_EQ(count.done(), 0);
  EXPECT_EQ(count.total(), 7);
  count.expect(100);
  count.begin(50);
  count.begin_apart(3);
  EXPECT_EQ(count.done(), 0);
  EXPECT_EQ(count.total(), 3);
}

}  // namespace
}  // namespace thallo
