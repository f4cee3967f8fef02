#include "core/base/camera_model.h"

namespace thallo::bundler {

Point3 camera_coordinates(const BalProblem::Camera& camera, const Point3& point) {
  return rotate({camera[0], camera[1], camera[2]}, point) + Point3{camera[3], camera[4], camera[5]};
}

Pixel project(const BalProblem::Camera& camera, const Point3& point) {
  const Point3 p = camera_coordinates(camera, point);
  const double x = -p[0] / p[2];
  const double y = -p[1] / p[2];
  const double r2 = x * x + y * y;
  const double scale = camera[6] * (1.0 + r2 * (camera[7] + camera[8] * r2));
  return {scale * x, scale * y};
}

Point3 camera_center(const BalProblem::Camera& camera) {
  return -rotate({-camera[0], -camera[1], -camera[2]}, {camera[3], camera[4], camera[5]});
}

}  // namespace thallo::bundler
