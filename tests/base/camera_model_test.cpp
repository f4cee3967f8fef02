#include "core/base/camera_model.h"

#include <gmock/gmock.h>

#include <cstddef>
#include <numbers>

#include "core/base/random.h"

namespace thallo::bundler {
namespace {

using testing::DoubleNear, testing::ElementsAre;

void expect_near(const Point3& a, const Point3& b, double tolerance) {
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(a[i], b[i], tolerance) << "coordinate " << i;
}

TEST(CameraModel, RotatesByTheAngleAboutTheAxisAndBack) {
  const double quarter = std::numbers::pi / 2;
  expect_near(rotate({0, 0, quarter}, {1, 0, 0}), {0, 1, 0}, 1e-15);
  expect_near(rotate({quarter, 0, 0}, {0, 1, 0}), {0, 0, 1}, 1e-15);
  expect_near(rotate({0, 0, 0}, {1, 2, 3}), {1, 2, 3}, 0);
  expect_near(rotate({0, 0, 1e-5}, {1, 0, 0}), {1, 1e-5, 0}, 1e-9);
  Random random(3);
  for (int trial = 0; trial < 100; ++trial) {
    const double angle = trial == 0 ? 0.0 : random.uniform(0, std::numbers::pi);
    const Point3 w = angle * normalized({random.normal(), random.normal(), random.normal()});
    // The rows of R are what Rᵀ makes of the unit vectors.
    const Point3 found = rotation_vector_of_rows(rotate(-w, {1, 0, 0}), rotate(-w, {0, 1, 0}),
                                                 rotate(-w, {0, 0, 1}));
    expect_near(found, w, 1e-7);
    expect_near(rotation_vector(quaternion_of(w)), w, 1e-7);
  }
}

TEST(CameraModel, ProjectsWithDistortion) {
  // Ten units in front of the camera, which looks along -z: p = (0.1, -0.2), r² = 0.05.
  const BalProblem::Camera camera = {0, 0, 0, 0, 0, -10, 500, -0.1, 0.2};
  const double scale = 500 * (1 - 0.1 * 0.05 + 0.2 * 0.05 * 0.05);
  EXPECT_THAT(project(camera, {1, -2, 0}),
              ElementsAre(DoubleNear(0.1 * scale, 1e-12), DoubleNear(-0.2 * scale, 1e-12)));
  expect_near(camera_center(camera), {0, 0, 10}, 1e-15);
}

}  // namespace
}  // namespace thallo::bundler
