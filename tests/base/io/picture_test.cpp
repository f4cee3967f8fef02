#include "core/base/io/picture.h"

#include <gtest/gtest.h>

#include <array>

namespace thallo {
namespace {

TEST(Picture, OfGrayIsGrayWhiteWhereItIsClearAndBesideOthers) {
  Image gray(2, 1, 1);
  gray.at(1, 0) = 0.25f;
  const Image rgb = to_rgb(gray);
  EXPECT_EQ(rgb.channels, 3);
  for (int c = 0; c < 3; ++c) EXPECT_EQ(rgb.at(1, 0, c), 0.25f);
  Image picture(2, 1, 4);
  picture.at(0, 0, 1) = 1;
  picture.at(0, 0, 3) = 0.5f;
  const Image shown = to_rgb(picture);
  EXPECT_EQ(shown.at(0, 0, 0), 0.5f);
  EXPECT_EQ(shown.at(0, 0, 1), 1.0f);
  EXPECT_EQ(shown.at(1, 0, 2), 1.0f);
  Image left(2, 3, 3), right(4, 3, 3);
  left.at(1, 2, 0) = 0.5f;
  right.at(0, 2, 0) = 0.75f;
  const Image row = side_by_side(std::array{left, right, left});
  EXPECT_EQ(row.width, 8);
  EXPECT_EQ(row.at(1, 2, 0), 0.5f);
  EXPECT_EQ(row.at(2, 2, 0), 0.75f);
  EXPECT_EQ(row.at(7, 2, 0), 0.5f);
}

}  // namespace
}  // namespace thallo
