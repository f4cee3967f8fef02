#include <gmock/gmock.h>

#include <cmath>
#include <string>
#include <vector>

#include "core/base/io/png.h"
#include "core/base/log.h"
#include "problems/image_warping/drawing.h"
#include "problems/image_warping/render.h"
#include "problems/image_warping/warp_input.h"
#include "tests/support/data.h"
#include "tests/support/temp_dir.h"

namespace thallo::image_warping {
namespace {

using testing::ElementsAre, testing::HasSubstr;

// A picture of 4 x 3 pixels, all active, red grows to the right, green downward.
WarpInput small_input() {
  WarpInput input;
  input.picture = Image(4, 3, 3);
  for (int y = 0; y < 3; ++y) {
    for (int x = 0; x < 4; ++x) {
      input.picture.at(x, y, 0) = static_cast<float>(x) / 4.0f;
      input.picture.at(x, y, 1) = static_cast<float>(y) / 4.0f;
    }
  }
  input.mask.assign(12, 0);
  return input;
}

std::vector<double> places(int width, int height, double dx = 0, double dy = 0) {
  std::vector<double> offsets;
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) offsets.insert(offsets.end(), {x + dx, y + dy});
  }
  return offsets;
}

TEST(Handles, AreReadLineByLine) {
  const auto handles = parse_handles("a.constraints", "2\n1 2 3 0\n0 0 3 2", 4, 3);
  ASSERT_TRUE(handles) << handles.error().message();
  EXPECT_THAT(*handles, ElementsAre(Handle{{1, 2}, {3, 0}}, Handle{{0, 0}, {3, 2}}));
  const auto error_of = [](std::string_view text) {
    const auto handles = parse_handles("a.constraints", text, 4, 3);
    return handles ? std::string("no error") : handles.error().message();
  };
  EXPECT_THAT(error_of(""), HasSubstr("the number of constraints"));
  EXPECT_THAT(error_of("png\n"), HasSubstr("a.constraints:1: found 'png'"));
  EXPECT_THAT(error_of("-1\n"), HasSubstr("the number of constraints"));
  EXPECT_THAT(error_of("2\n1 2 3 0\n"), HasSubstr("constraint 2 of 2"));
  EXPECT_THAT(error_of("1\n1 2 3\n"), HasSubstr("constraint 1 of 1"));
  EXPECT_THAT(error_of("1\n1 2 3 1.5\n"), HasSubstr("a.constraints:2: found '1.5'"));
  EXPECT_THAT(error_of("2\n1 2 3 0\n4 0 0 0\n"),
              HasSubstr("a.constraints:3: x = 4 of constraint 2 is outside"));
  EXPECT_THAT(error_of("1\n1 2 3 3\n"), HasSubstr("y = 3 of constraint 1 is outside"));
  EXPECT_THAT(error_of("1\n1 2 3 0\n9"), HasSubstr("a.constraints:3: found '9'"));
}

TEST(WarpInput, ReadsThreeFilesBesideEachOther) {
  const test::TempDir folder;
  const WarpInput small = small_input();
  const auto picture = folder.path() / "small.png";
  ASSERT_TRUE(write_png(picture, small.picture));

  auto input = read_warp_input(picture);
  ASSERT_FALSE(input);
  EXPECT_THAT(input.error().message(), HasSubstr("small_mask.png")) << "the mask is absent";

  ASSERT_TRUE(write_png(folder.path() / "small_mask.png", Image(4, 4, 1)));
  input = read_warp_input(picture);
  ASSERT_FALSE(input);
  EXPECT_THAT(input.error().message(), HasSubstr("the mask has 4 x 4 pixels"));

  Image mask(4, 3, 1);
  mask.at(2, 1) = 1;
  ASSERT_TRUE(write_png(folder.path() / "small_mask.png", mask));
  input = read_warp_input(picture);
  ASSERT_FALSE(input);
  EXPECT_THAT(input.error().message(), HasSubstr("small.constraints"));

  folder.write("small.constraints", "1\n1 1 2 2\n");
  input = read_warp_input(picture);
  ASSERT_TRUE(input) << input.error().message();
  EXPECT_EQ(input->num_active(), 11);
  EXPECT_FALSE(input->active(2, 1));
  EXPECT_THAT(input->handles, ElementsAre(Handle{{1, 1}, {2, 2}}));
  EXPECT_EQ(input->picture.channels, 3);
  EXPECT_NEAR(input->picture.at(3, 0, 0), 0.75, 0.003);
}

TEST(WarpInput, WarnsAboutAHandleOutsideTheMask) {
  const test::TempDir folder;
  ASSERT_TRUE(write_png(folder.path() / "p.png", Image(3, 3, 3)));
  Image mask(3, 3, 1);
  mask.at(1, 1) = 1;
  ASSERT_TRUE(write_png(folder.path() / "p_mask.png", mask));
  folder.write("p.constraints", "1\n1 1 2 2\n");
  const LogCapture log;
  EXPECT_TRUE(read_warp_input(folder.path() / "p.png"));
  ASSERT_EQ(log.records().size(), 1u);
  EXPECT_THAT(log.records()[0].text, HasSubstr("the handle at (1, 1) pulls nothing"));
}

TEST(WarpInput, TransparentPixelsAreWhite) {
  const test::TempDir folder;
  Image picture(2, 1, 4);
  picture.at(1, 0, 3) = 1;  // the left pixel is clear, the right one black
  ASSERT_TRUE(write_png(folder.path() / "p.png", picture));
  ASSERT_TRUE(write_png(folder.path() / "p_mask.png", Image(2, 1, 1)));
  folder.write("p.constraints", "0\n");
  const auto input = read_warp_input(folder.path() / "p.png");
  ASSERT_TRUE(input) << input.error().message();
  EXPECT_EQ(input->picture.at(0, 0, 1), 1.0f);
  EXPECT_EQ(input->picture.at(1, 0, 1), 0.0f);
}

TEST(WarpInput, ReadsThePublishedCat) {
  THALLO_REQUIRE_DATA(cat, "opt_thallo/cat512.png");
  const auto input = read_warp_input(cat);
  ASSERT_TRUE(input) << input.error().message();
  EXPECT_EQ(input->width(), 512);
  EXPECT_EQ(input->height(), 512);
  EXPECT_EQ(input->num_active(), 101406);
  ASSERT_EQ(input->handles.size(), 9u);
  EXPECT_EQ(input->handles[0], (Handle{{30, 132}, {59, 44}}));
  for (const Handle& handle : input->handles) {
    EXPECT_TRUE(input->active(handle.pixel[0], handle.pixel[1]));
  }
}

TEST(Constraints, PinTheBorderAndBlendTheHandles) {
  WarpInput input = small_input();
  input.handles = {{{1, 1}, {3, 2}}};
  const auto at = [](const std::vector<double>& c, int x, int y) {
    const auto i = static_cast<std::size_t>(2 * (4 * y + x));
    return std::pair(c[i], c[i + 1]);
  };
  const auto half = blend_constraints(input, 0.5);
  ASSERT_EQ(half.size(), 24u);
  EXPECT_EQ(at(half, 1, 1), std::pair(2.0, 1.5));
  EXPECT_EQ(at(half, 2, 1), std::pair(-1.0, -1.0)) << "inside, no handle";
  EXPECT_EQ(at(half, 0, 0), std::pair(0.0, 0.0));
  EXPECT_EQ(at(half, 3, 1), std::pair(3.0, 1.0));
  EXPECT_EQ(at(half, 2, 2), std::pair(2.0, 2.0));
  EXPECT_EQ(at(blend_constraints(input, 1.0), 1, 1), std::pair(3.0, 2.0));
}

TEST(Drawing, IsDeterministicAtEverySizeAndWhiteOutsideTheMask) {
  for (const int size : {16, 25, 128}) {
    const auto a = draw_fish(size);
    const auto b = draw_fish(size);
    EXPECT_EQ(a.picture, b.picture);
    EXPECT_EQ(a.mask, b.mask);
    EXPECT_GE(a.handles.size(), 4u);
    for (const Handle& handle : a.handles) {
      EXPECT_TRUE(a.active(handle.pixel[0], handle.pixel[1])) << "size " << size;
    }
    const double part = static_cast<double>(a.num_active()) / (size * size);
    // The outline is at least a pixel wide, so a small fish fills more of its picture.
    EXPECT_GT(part, 0.26) << "size " << size;
    EXPECT_LT(part, 0.26 + 5.0 / size) << "size " << size;
  }
  const auto fish = draw_fish(96);
  for (int y = 0; y < 96; ++y) {
    for (int x = 0; x < 96; ++x) {
      if (fish.active(x, y)) continue;
      for (int c = 0; c < 3; ++c) EXPECT_GT(fish.picture.at(x, y, c), 0.999f) << x << " " << y;
    }
  }
}

TEST(RenderWarp, WithoutMotionIsThePicture) {
  const auto fish = draw_fish(64);
  const Image image = render_warp(fish, places(64, 64));
  double largest = 0, sum = 0;
  for (std::size_t i = 0; i < image.data.size(); ++i) {
    const double difference = std::abs(image.data[i] - fish.picture.data[i]);
    largest = std::max(largest, difference);
    sum += difference;
  }
  // Colors are interpolated within a pixel, so edges soften.
  EXPECT_LT(sum / static_cast<double>(image.data.size()), 0.02);
  EXPECT_LT(largest, 0.6);
}

TEST(RenderWarp, MovesColorsWithTheirPixels) {
  const WarpInput input = small_input();
  const Image image = render_warp(input, places(4, 3, 1, 0));
  // The gradient has moved by a pixel; inside it the interpolation is exact.
  EXPECT_NEAR(image.at(2, 1, 0), 0.25, 1e-5);
  EXPECT_NEAR(image.at(2, 1, 1), 0.25, 1e-5);
  EXPECT_EQ(image.at(0, 1, 0), 1.0f) << "what was left behind is filled";
}

TEST(RenderWarp, LeavesNoHolesWhenStretchedAndInactivePixelsStay) {
  WarpInput input = small_input();
  std::fill(input.picture.data.begin(), input.picture.data.end(), 0.25f);
  // Magnified and turned about the origin: every pixel between the corners' images is covered.
  std::vector<double> offsets;
  const double c = 3 * std::cos(0.1), s = 3 * std::sin(0.1);
  for (int y = 0; y < 3; ++y) {
    for (int x = 0; x < 4; ++x) offsets.insert(offsets.end(), {c * x - s * y, s * x + c * y});
  }
  const Image image = render_warp(input, offsets);
  EXPECT_NEAR(image.at(2, 2, 0), 0.25, 1e-6);
  EXPECT_NEAR(image.at(3, 2, 0), 0.25, 1e-6);
  input = small_input();
  input.mask.assign(12, 255);
  EXPECT_EQ(render_warp(input, places(4, 3, 1, 1)), input.picture);
}

}  // namespace
}  // namespace thallo::image_warping
