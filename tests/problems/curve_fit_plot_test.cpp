#include "problems/curve_fit/plot.h"

#include <gmock/gmock.h>

#include <limits>

namespace thallo::curve_fit {
namespace {

using ::testing::ElementsAre;

bool is_red(const Image& image, int x, int y) {
  return image.at(x, y, 0) > 0.9f && image.at(x, y, 1) < 0.1f && image.at(x, y, 2) < 0.1f;
}

int count_red(const Image& image) {
  int count = 0;
  for (int y = 0; y < image.height; ++y) {
    for (int x = 0; x < image.width; ++x) count += is_red(image, x, y);
  }
  return count;
}

TEST(RoundTicks, StandAtRoundNumbers) {
  EXPECT_THAT(round_ticks(0, 10, 5), ElementsAre(0, 2, 4, 6, 8, 10));
  EXPECT_THAT(round_ticks(-0.3, 0.3, 3), ElementsAre(-0.2, 0, 0.2));
  EXPECT_THAT(round_ticks(1.1e6, 1.9e6, 4), ElementsAre(1.2e6, 1.4e6, 1.6e6, 1.8e6));
  EXPECT_TRUE(round_ticks(1, 1, 4).empty());
}

TEST(Plot, DrawsDotsAndLinesThatAreFinite) {
  const Image one = plot({{{1}, {2}, {255, 0, 0}, false}}, 300, 200);
  EXPECT_EQ(one.width, 300);
  EXPECT_EQ(one.height, 200);
  // A single dot is in the middle of its axes.
  EXPECT_TRUE(is_red(one, (64 + 288) / 2, (12 + 170) / 2));
  EXPECT_LT(count_red(one), 30);
  // The line leaves the range of the two dots far above and below.
  Image image =
      plot({{{0, 1}, {0, 1}, {0, 0, 255}, false}, {{0, 0.5, 1}, {-50, 0.5, 50}, {255, 0, 0}, true}},
           300, 200);
  EXPECT_GT(count_red(image), 100);
  for (int x = 0; x < image.width; ++x) EXPECT_FALSE(is_red(image, x, 195));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double inf = std::numeric_limits<double>::infinity();
  image = plot({{{0, nan, 2}, {1, 1, inf}, {255, 0, 0}, false},
                {{0, 1, 2}, {1, nan, 1}, {255, 0, 0}, true}});
  EXPECT_GT(count_red(image), 0);
  EXPECT_EQ(count_red(plot({})), 0);
}

}  // namespace
}  // namespace thallo::curve_fit
