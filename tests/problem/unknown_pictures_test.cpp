#include "core/problem/unknown_pictures.h"

#include <gmock/gmock.h>

#include <vector>

#include "tests/support/energies.h"

namespace thallo {
namespace {

using testing::ElementsAre, testing::HasSubstr;
using Values = std::vector<double>;

// Unknowns over 2 x 1 points: X of one channel, C with an alpha channel, F of two; L is over a
// line.
Energy pictures_energy() {
  EnergyBuilder e("pictures");
  const DimId W = e.dim("W"), H = e.dim("H");
  const auto X = e.unknown("X", {W, H});
  const auto C = e.unknown("C", {W, H}, 4), F = e.unknown("F", {W, H}, 2);
  const auto L = e.unknown("L", {W});
  const IndexExpr x = e.domain(W, "x"), y = e.domain(H, "y");
  e.residual("all", Vec(X(x, y)) + C(x, y)[0] + F(x, y)[0] + L(x));
  return test::build(std::move(e));
}

Binding bound(const Energy& energy, const Values& x) {
  return test::bind(energy, {.extents = {{"W", 2}, {"H", 1}},
                             .fields = {{"X", x},
                                        {"C", Values{0, 0.25, 0.5, 1, 1, 1, 1, 0}},
                                        {"F", Values(4)},
                                        {"L", Values(2)}}});
}

TEST(UnknownPictures, AreOfUnknownsThatAreImagesAndOfValuesBetween0And1AsTheyAre) {
  const Energy energy = pictures_energy();
  const auto pictures = unknown_pictures(energy, bound(energy, {0.5, 1}));
  ASSERT_EQ(pictures.size(), 2u);
  EXPECT_THAT(pictures[0].values.data, ElementsAre(0.5f, 1));
  EXPECT_EQ(pictures[1].values.channels, 3);
  EXPECT_THAT(pictures[1].values.data, ElementsAre(0, 0.25f, 0.5f, 1, 1, 1));
  const auto images = before_and_after(energy, unknown_pictures(energy, bound(energy, {0.5, 1})),
                                       unknown_pictures(energy, bound(energy, {0, 1})));
  ASSERT_EQ(images.size(), 4u);
  EXPECT_EQ(images[0].name, "X_before");
  EXPECT_EQ(images[1].caption, "X after");
  EXPECT_THAT(images[0].image().data, ElementsAre(0.5f, 1));
}

TEST(UnknownPictures, OfOtherValuesHaveOneScaleBeforeAndAfter) {
  const Energy energy = pictures_energy();
  const auto images = before_and_after(energy, unknown_pictures(energy, bound(energy, {-1, 1})),
                                       unknown_pictures(energy, bound(energy, {1, 3})));
  EXPECT_THAT(images[0].image().data, ElementsAre(0, 0.5f));
  EXPECT_THAT(images[1].image().data, ElementsAre(0.5f, 1));
  EXPECT_THAT(images[1].caption, HasSubstr("X after, black -1, white 3"));
}

}  // namespace
}  // namespace thallo
