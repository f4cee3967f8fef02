#include "gui/base/text.h"

#include <limits>

#include <gtest/gtest.h>

namespace thallo::gui {
namespace {

TEST(AppText, GivesThreeSignificantDigits) {
  EXPECT_EQ(significant(0.012345), "0.0123");
  EXPECT_EQ(significant(1.2), "1.20");
  EXPECT_EQ(significant(345.6), "346");
  EXPECT_EQ(significant(0), "0");
  EXPECT_EQ(quantityText(12.34e-6, "s"), "12.3 µs");
  EXPECT_EQ(quantityText(999.9e-6, "s"), "1.00 ms");
  EXPECT_EQ(bytesText(4.1e9), "4.10 GB");
  EXPECT_EQ(countText(1204), "1,204");
}

TEST(AppText, SaysRatiosInWords) {
  EXPECT_EQ(ratioText(1.8, 1), "1.80× faster");
  EXPECT_EQ(ratioText(1, 1.25), "1.25× slower");
  EXPECT_EQ(ratioText(1, 1.001), "the same");
  EXPECT_EQ(changeText(178e-6, 137e-6), "−23.0 % (−41.0 µs)");
  EXPECT_EQ(changeText(1, 1), "no change");
}

TEST(AppText, SaysThatAProgramDoesNotFit) {
  EXPECT_EQ(secondsText(std::numeric_limits<double>::infinity()), "does not fit");
}

}  // namespace
}  // namespace thallo::gui
