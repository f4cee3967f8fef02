#include "core/base/half.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace thallo {
namespace {

double rounded(double value) { return static_cast<double>(Half(value)); }

TEST(Half, RoundsToTheNearestAndTiesToEven) {
  for (const double value : {0.0, 1.0, -1.5, 1023.5, 2047.0, 65504.0, 0x1p-14, 0x1p-24, -0x3p-24})
    EXPECT_EQ(rounded(value), value);
  EXPECT_TRUE(std::signbit(rounded(-0.0)));
  EXPECT_EQ(rounded(2049), 2048);
  EXPECT_EQ(rounded(2051), 2052);
  EXPECT_EQ(rounded(2049.1), 2050);
  EXPECT_EQ(rounded(1.0 / 3), 0.333251953125);
  EXPECT_EQ(rounded(4095.9), 4096);  // into the next exponent
}

TEST(Half, IsInfiniteBeyondItsRangeAndCoarseBelowIt) {
  EXPECT_EQ(rounded(0x1p-25), 0);
  EXPECT_EQ(rounded(0x3p-25), 0x1p-23);
  EXPECT_EQ(rounded(0x1.001p-25), 0x1p-24);
  EXPECT_EQ(rounded(0x1.fffp-15), 0x1p-14);  // into the normal numbers
  constexpr double Infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(rounded(65519), 65504);
  EXPECT_EQ(rounded(65520), Infinity);
  EXPECT_EQ(rounded(-1e9), -Infinity);
  EXPECT_EQ(rounded(Infinity), Infinity);
  EXPECT_TRUE(std::isnan(rounded(std::numeric_limits<double>::quiet_NaN())));
}

}  // namespace
}  // namespace thallo
