#include "core/problem/report/canvas.h"

#include <gtest/gtest.h>

#include <limits>
#include <utility>

namespace thallo {
namespace {

constexpr Rgb Red = {255, 0, 0};

float green(const Image& image, int x, int y) { return image.at(x, y, 1); }

TEST(Canvas, ColorsAreEquallyFarApartAndStayInsideTheClip) {
  constexpr Rgb Scale[] = {{0, 0, 0}, {100, 0, 200}, {200, 50, 200}};
  EXPECT_EQ(color_on(Scale, 0.25), (Rgb{50, 0, 100}));
  EXPECT_EQ(color_on(Scale, 0.5), Scale[1]);
  EXPECT_EQ(color_on(Scale, 1), Scale[2]);
  Canvas canvas(20, 10);
  canvas.clip(5, 15);
  constexpr double Far = 1e12;
  canvas.line({-Far, 4}, {Far, 4}, {Red, 3});
  canvas.dot({std::numeric_limits<double>::quiet_NaN(), 4}, {Red, 3});
  canvas.dot({10, -Far}, {Red, 3});
  const Image image = canvas.take();
  EXPECT_EQ(green(image, 4, 4), 1);
  EXPECT_EQ(green(image, 5, 4), 0);
  EXPECT_EQ(green(image, 14, 4), 0);
  EXPECT_EQ(green(image, 15, 4), 1);
}

TEST(Canvas, DrawsDotsAndLinesInAllDirections) {
  Canvas canvas(20, 20);
  canvas.dot({10, 10}, {Red, 5});
  const Image image = canvas.take();
  EXPECT_EQ(green(image, 10, 10), 0);
  EXPECT_EQ(green(image, 12, 10), 0);
  EXPECT_GT(green(image, 12, 11), 0);
  EXPECT_LT(green(image, 12, 11), 1);
  EXPECT_EQ(green(image, 14, 10), 1);
  EXPECT_EQ(image.at(10, 10, 0), 1) << "red stays";
  for (const auto& [dx, dy] : {std::pair(8, 0), {0, 8}, {8, 8}, {-8, 3}, {3, -8}}) {
    Canvas canvas(21, 21);
    canvas.line({10, 10}, {10.0 + dx, 10.0 + dy}, {Red, 2});
    const Image image = canvas.take();
    EXPECT_LT(green(image, 10, 10), 0.1f);
    EXPECT_LT(green(image, 10 + dx, 10 + dy), 0.1f);
    EXPECT_LT(green(image, 10 + dx / 2, 10 + dy / 2), 0.6f);
    EXPECT_EQ(green(image, 10 - dx, 10 - dy), 1) << "it ends";
  }
}

}  // namespace
}  // namespace thallo
