#include "core/base/rotation.h"

#include <algorithm>
#include <cmath>

namespace thallo {

Vector3 rotate(const Vector3& rotation, const Vector3& point) {
  const double angle_squared = dot(rotation, rotation);
  if (angle_squared == 0) return point;
  const double angle = std::sqrt(angle_squared);
  const double s = std::sin(angle) / angle;
  const double half = std::sin(angle / 2) / angle;
  const double along = 2 * half * half;  // (1 - cos) / angle²
  const Vector3 turned = cross(rotation, point);
  return point + (s * turned + along * cross(rotation, turned));
}

Vector3 rotation_vector(const std::array<double, 4>& q) {
  const double sine = std::hypot(q[1], q[2], q[3]);
  if (sine == 0) return {0, 0, 0};
  const double sign = q[0] < 0 ? -1 : 1;
  const double scale = 2 * sign * std::atan2(sine, sign * q[0]) / sine;
  return {scale * q[1], scale * q[2], scale * q[3]};
}

// Goes through the quaternion, computed from its largest component: that is well conditioned for
// every angle.
Vector3 rotation_vector_of_rows(const Vector3& x, const Vector3& y, const Vector3& z) {
  const double trace = x[0] + y[1] + z[2];
  if (trace >= std::max({x[0], y[1], z[2]}))
    return rotation_vector({1.0 + trace, z[1] - y[2], x[2] - z[0], y[0] - x[1]});
  if (x[0] >= std::max(y[1], z[2]))
    return rotation_vector({z[1] - y[2], 1.0 + 2.0 * x[0] - trace, x[1] + y[0], x[2] + z[0]});
  if (y[1] >= z[2])
    return rotation_vector({x[2] - z[0], x[1] + y[0], 1.0 + 2.0 * y[1] - trace, y[2] + z[1]});
  return rotation_vector({y[0] - x[1], x[2] + z[0], y[2] + z[1], 1.0 + 2.0 * z[2] - trace});
}

std::array<double, 4> quaternion_of(const Vector3& rotation) {
  const double angle = length(rotation);
  const double scale = angle > 0 ? std::sin(angle / 2) / angle : 0.5;
  return {std::cos(angle / 2), scale * rotation[0], scale * rotation[1], scale * rotation[2]};
}

}  // namespace thallo
