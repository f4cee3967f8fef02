#include "core/base/lens_model.h"

#include <gmock/gmock.h>

#include <cmath>
#include <vector>

namespace thallo {
namespace {

using testing::DoubleNear, testing::ElementsAre;

// The direction (0.3, -0.4), r = 0.5.
std::vector<double> seen(LensModel model, const std::vector<double>& lens) {
  const auto place = project(model, lens, {0.3, -0.4});
  return {place[0], place[1]};
}

auto near(double x, double y) { return ElementsAre(DoubleNear(x, 1e-12), DoubleNear(y, 1e-12)); }

TEST(LensModel, IsHandComputable) {
  EXPECT_THAT(seen(LensModel::SimplePinhole, {100}), near(30, -40));
  EXPECT_THAT(seen(LensModel::Pinhole, {100, 200}), near(30, -80));
  EXPECT_THAT(seen(LensModel::SimpleRadial, {100, 0.4}), near(33, -44));   // 1 + 0.4 / 4
  EXPECT_THAT(seen(LensModel::Radial, {100, 0.4, 0.8}), near(34.5, -46));  // + 0.8 / 16
  EXPECT_THAT(seen(LensModel::Bundler, {100, 0.4, 0.8}), near(34.5, -46));
  // x + 2 p1 x y + p2 (r2 + 2 x^2), y + 2 p2 x y + p1 (r2 + 2 y^2)
  EXPECT_THAT(seen(LensModel::OpenCv, {100, 200, 0, 0, 0.1, 0.2}),
              near(100 * (0.3 - 0.024 + 0.2 * 0.43), 200 * (-0.4 - 0.048 + 0.1 * 0.57)));
  const double angle = std::atan(0.5);
  EXPECT_THAT(seen(LensModel::OpenCvFisheye, {100, 100, 0, 0, 0, 0}),
              near(60 * angle, -80 * angle));
  EXPECT_THAT(
      seen(LensModel::OpenCvFisheye, {100, 100, 0.1, 0, 0, 0}),
      near(60 * angle * (1 + 0.1 * angle * angle), -80 * angle * (1 + 0.1 * angle * angle)));
}

}  // namespace
}  // namespace thallo
