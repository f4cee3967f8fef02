#include "core/problem/kept_hops.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "core/energy/builder.h"

namespace thallo {
namespace {

using Elements = std::vector<std::int32_t>;

// Cameras that see points; `of` has the point of each observation.
double hops(int num_cameras, int num_points, const Elements& cameras, const Elements& of) {
  EnergyBuilder e("scene");
  const DimId C = e.dim("C"), P = e.dim("P"), O = e.dim("O");
  const auto pose = e.unknown("pose", {C}, 2), point = e.unknown("point", {P});
  const auto camera = e.map("camera", {O}, {C}), seen = e.map("seen", {O}, {P});
  const IndexExpr k = e.domain(O);
  e.residual("r", pose(camera(k))[0] * point(seen(k)) - pose(camera(k))[1]);
  const Energy energy = *std::move(e).build();
  Binding binding(energy);
  EXPECT_TRUE(binding.set_extent("C", num_cameras) && binding.set_extent("P", num_points) &&
              binding.set_extent("O", std::ssize(cameras)) && binding.set_map("camera", cameras) &&
              binding.set_map("seen", of));
  return kept_hops(energy, binding, energy.find_unknown("point"));
}

TEST(KeptHops, AreThoseBetweenTheFarthestCameras) {
  EXPECT_EQ(hops(4, 1, {0, 1, 2, 3}, {0, 0, 0, 0}), 1);  // all see one point
  // A chain, from whichever camera it is looked at first.
  EXPECT_EQ(hops(4, 3, {0, 1, 1, 2, 2, 3}, {0, 0, 1, 1, 2, 2}), 3);
  EXPECT_EQ(hops(4, 3, {1, 0, 2, 1, 3, 2}, {0, 0, 1, 1, 2, 2}), 3);
  // A ring.
  EXPECT_EQ(hops(4, 4, {0, 1, 1, 2, 2, 3, 3, 0}, {0, 0, 1, 1, 2, 2, 3, 3}), 2);
  EXPECT_EQ(hops(2, 2, {0, 1}, {0, 1}), 0);  // nothing in common
  // A chain of five, of whose points all see the last one.
  EXPECT_EQ(
      hops(5, 5, {0, 1, 1, 2, 2, 3, 3, 4, 0, 1, 2, 3, 4}, {0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 4, 4, 4}),
      1);
  EXPECT_EQ(hops(6, 6, {0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 0, 1, 2, 3, 4, 5},
                 {0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 5, 5, 5, 5}),
            5);
}

TEST(KeptHops, AreUnknownWithoutMaps) {
  EnergyBuilder e("dense");
  const DimId C = e.dim("C"), P = e.dim("P");
  const auto pose = e.unknown("pose", {C}), point = e.unknown("point", {P});
  const IndexExpr c = e.domain(C), p = e.domain(P);
  e.residual("r", pose(c) * point(p) - 1.0);
  const Energy energy = *std::move(e).build();
  Binding binding(energy);
  ASSERT_TRUE(binding.set_extent("C", 3) && binding.set_extent("P", 3));
  EXPECT_EQ(kept_hops(energy, binding, energy.find_unknown("point")), 0);
}

}  // namespace
}  // namespace thallo
