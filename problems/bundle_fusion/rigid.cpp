#include "problems/bundle_fusion/rigid.h"

#include <algorithm>
#include <cmath>

namespace thallo::bundle_fusion {
namespace {

constexpr double SmallAngle = 1e-4;  // below, series are exact in double

// a = sin(angle) / angle, b = (1 - cos(angle)) / angle^2, c = (1 - a) / angle^2.
struct Series {
  double a, b, c;
};

Series series_at(double angle) {
  const double squared = angle * angle;
  if (angle < SmallAngle) return {1 - squared / 6, 0.5 - squared / 24, 1.0 / 6 - squared / 120};
  const double a = std::sin(angle) / angle;
  return {a, (1 - std::cos(angle)) / squared, (1 - a) / squared};
}

// Stores of measurements know the made room to the last digit, so this is not that of
// core/base/rotation.h, which rounds otherwise.
//
// Axis times angle, by way of the unit quaternion q (real part first): row k below is 4 q[k] q, and
// the row with the largest q[k] keeps the most digits.
Vector3 rotation_vector(const std::array<double, 9>& r) {
  const std::array<double, 4> squares = {1 + r[0] + r[4] + r[8], 1 + r[0] - r[4] - r[8],
                                         1 - r[0] + r[4] - r[8], 1 - r[0] - r[4] + r[8]};
  const auto largest = std::ranges::max_element(squares) - squares.begin();
  const std::array<std::array<double, 4>, 4> rows = {{
      {squares[0], r[7] - r[5], r[2] - r[6], r[3] - r[1]},
      {r[7] - r[5], squares[1], r[3] + r[1], r[2] + r[6]},
      {r[2] - r[6], r[3] + r[1], squares[2], r[7] + r[5]},
      {r[3] - r[1], r[2] + r[6], r[7] + r[5], squares[3]},
  }};
  const std::array<double, 4>& q = rows[static_cast<std::size_t>(largest)];
  const double sign = q[0] < 0 ? -1 : 1;
  const Vector3 axis = {sign * q[1], sign * q[2], sign * q[3]};
  const double sine = length(axis);
  const double angle = 2 * std::atan2(sine, std::abs(q[0]));
  return (sine > 0 ? angle / sine : 0.0) * axis;
}

}  // namespace

Vector3 RigidMotion::turn(const Vector3& v) const {
  return {dot(row(0), v), dot(row(1), v), dot(row(2), v)};
}

Vector3 RigidMotion::move(const Vector3& p) const { return turn(p) + translation; }

RigidMotion operator*(const RigidMotion& a, const RigidMotion& b) {
  RigidMotion product;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      double sum = 0;
      for (std::size_t k = 0; k < 3; ++k) sum += a.rotation[3 * i + k] * b.rotation[3 * k + j];
      product.rotation[3 * i + j] = sum;
    }
  }
  product.translation = a.move(b.translation);
  return product;
}

RigidMotion inverse(const RigidMotion& motion) {
  RigidMotion back;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) back.rotation[3 * i + j] = motion.rotation[3 * j + i];
  }
  back.translation = -1 * back.turn(motion.translation);
  return back;
}

RigidMotion exponential(const Twist& twist) {
  const Vector3& w = twist.rotation;
  const Series s = series_at(length(w));
  RigidMotion motion;
  for (std::size_t j = 0; j < 3; ++j) {
    Vector3 unit{};
    unit[j] = 1;
    const Vector3 once = cross(w, unit);
    const Vector3 column = unit + s.a * once + s.b * cross(w, once);
    for (std::size_t i = 0; i < 3; ++i) motion.rotation[3 * i + j] = column[i];
  }
  const Vector3 once = cross(w, twist.translation);
  motion.translation = twist.translation + s.b * once + s.c * cross(w, once);
  return motion;
}

Twist logarithm(const RigidMotion& motion) {
  const Vector3 w = rotation_vector(motion.rotation);
  const double angle = length(w);
  const Series s = series_at(angle);
  // (1 - a / (2 b)) / angle^2, which tends to 1/12.
  const double second = angle < SmallAngle ? 1.0 / 12 : (1 - s.a / (2 * s.b)) / (angle * angle);
  const Vector3 once = cross(w, motion.translation);
  return {w, motion.translation - 0.5 * once + second * cross(w, once)};
}

}  // namespace thallo::bundle_fusion
