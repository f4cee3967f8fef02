#include "core/base/camera_model.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace thallo::bundler {
namespace {

double dot(const Point3& a, const Point3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

}  // namespace

Point3 cross(const Point3& a, const Point3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

Point3 rotate(const Point3& angle_axis, const Point3& point) {
  const double angle_squared = dot(angle_axis, angle_axis);
  if (angle_squared == 0) return point;
  const double angle = std::sqrt(angle_squared);
  const double s = std::sin(angle) / angle;
  const double half = std::sin(angle / 2) / angle;
  const double along = 2 * half * half;  // (1 - cos) / angle²
  const Point3 turned = cross(angle_axis, point);
  const Point3 twice = cross(angle_axis, turned);
  Point3 result = point;
  for (std::size_t i = 0; i < 3; ++i) result[i] += s * turned[i] + along * twice[i];
  return result;
}

Point3 camera_coordinates(const BalProblem::Camera& camera, const Point3& point) {
  Point3 result = rotate({camera[0], camera[1], camera[2]}, point);
  for (std::size_t i = 0; i < 3; ++i) result[i] += camera[3 + i];
  return result;
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
  const Point3 back =
      rotate({-camera[0], -camera[1], -camera[2]}, {camera[3], camera[4], camera[5]});
  return {-back[0], -back[1], -back[2]};
}

Point3 angle_axis_of_rows(const Point3& x, const Point3& y, const Point3& z) {
  // Goes through the quaternion, computed from its largest component: that is well conditioned for
  // every angle.
  const double trace = x[0] + y[1] + z[2];
  std::array<double, 4> q{};  // w, x, y, z
  if (trace >= std::max({x[0], y[1], z[2]})) {
    q = {1.0 + trace, z[1] - y[2], x[2] - z[0], y[0] - x[1]};
  } else if (x[0] >= std::max(y[1], z[2])) {
    q = {z[1] - y[2], 1.0 + 2.0 * x[0] - trace, x[1] + y[0], x[2] + z[0]};
  } else if (y[1] >= z[2]) {
    q = {x[2] - z[0], x[1] + y[0], 1.0 + 2.0 * y[1] - trace, y[2] + z[1]};
  } else {
    q = {y[0] - x[1], x[2] + z[0], y[2] + z[1], 1.0 + 2.0 * z[2] - trace};
  }
  const double sign = q[0] < 0 ? -1.0 : 1.0;  // the rotation by at most π
  const double sine = std::hypot(q[1], q[2], q[3]);
  if (sine == 0) return {0, 0, 0};
  const double scale = sign * 2.0 * std::atan2(sine, sign * q[0]) / sine;
  return {scale * q[1], scale * q[2], scale * q[3]};
}

}  // namespace thallo::bundler
