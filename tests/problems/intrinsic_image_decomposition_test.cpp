#include <gmock/gmock.h>

#include <cmath>
#include <vector>

#include "core/energy/evaluate/evaluator.h"
#include "problems/intrinsic_image_decomposition/decomposition.h"
#include "problems/intrinsic_image_decomposition/drawing.h"
#include "tests/problems/loaded_problems.h"

namespace thallo::intrinsic_image_decomposition {
namespace {

using ::testing::HasSubstr;

TEST(Decomposition, StartsAsTheWholePictureAndFinite) {
  const auto papers = draw_papers(16);
  const std::vector<double> i = to_logarithms(papers.picture);
  const LogDecomposition start = split_by_intensity(i);
  ASSERT_EQ(start.s.size(), 256u);
  for (std::size_t k = 0; k < i.size(); ++k) {
    EXPECT_NEAR(start.r[k] + start.s[k / 3], i[k], 1e-12);
  }
  const Decomposition parts = {from_logarithms(start.r, 16, 16, 3),
                               from_logarithms(start.s, 16, 16, 1)};
  EXPECT_LT(rms_difference(product(parts), papers.picture), 1e-6);
  EXPECT_NEAR(to_logarithms(Image(1, 1, 1))[0], std::log2(0.01), 1e-12);
}

TEST(Decomposition, IsNormalizedToItsBrightestLightWhichTheErrorDoesNotSee) {
  Decomposition parts = {Image(10, 20, 3), Image(10, 20, 1)};
  for (float& value : parts.albedo.data) value = 0.5f;
  for (std::size_t k = 0; k < 200; ++k) parts.shading.data[k] = static_cast<float>(k) / 50;
  const Image before = product(parts);
  const Decomposition after = normalized(parts);
  EXPECT_EQ(after.shading.data[197], 1.0f) << "two of 200 pixels are brighter";
  EXPECT_LT(rms_difference(product(after), before), 1e-6);
  const auto papers = draw_papers(16);
  ASSERT_TRUE(papers.truth);
  Image twice = papers.truth->shading;
  for (float& value : twice.data) value *= 2;
  EXPECT_NEAR(shading_error(twice, papers.truth->shading), 0, 1e-6);
  for (std::size_t k = 0; k < twice.data.size(); k += 2) twice.data[k] *= 2;
  EXPECT_NEAR(shading_error(twice, papers.truth->shading), 0.5, 1e-6)
      << "half the pixels are a stop brighter, so all are half a stop off the mean";
}

TEST(Papers, AreTheProductOfTheirTruth) {
  const auto papers = draw_papers(33);
  ASSERT_TRUE(papers.truth);
  for (std::size_t k = 0; k < papers.picture.data.size(); ++k) {
    EXPECT_EQ(papers.picture.data[k],
              papers.truth->albedo.data[k] * papers.truth->shading.data[k / 3]);
  }
  EXPECT_EQ(draw_papers(33).picture, papers.picture);
}

// As published 86 counting the partials of the frozen weights, which are 0.
TEST(IntrinsicImageDecomposition, HasThirtyEightEntriesAPixel) {
  const test::Made made = test::make("intrinsic_image_decomposition", {{"size", 16}});
  EnergyEvaluator evaluator(made.energy, made.instance.binding);
  std::size_t entries = 0, rows = 0;
  for (std::size_t group = 0; group < 3; ++group) {
    for (const ResidualRow& row : evaluator.linearize(group, 16 * 7 + 5)) {
      entries += row.partials.size();
      ++rows;
    }
  }
  EXPECT_EQ(rows, 19u);
  EXPECT_EQ(entries, 38u);
}

TEST(IntrinsicImageDecomposition, SaysWhatIsWrongWithItsInput) {
  EXPECT_THAT(test::error_of("intrinsic_image_decomposition", {{"file", "absent.png"}}),
              HasSubstr("absent.png"));
  EXPECT_THAT(test::error_of("intrinsic_image_decomposition", {{"p", 0.0}}), HasSubstr("'p' = 0"));
}

}  // namespace
}  // namespace thallo::intrinsic_image_decomposition
