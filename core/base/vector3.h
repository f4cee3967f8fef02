// Vectors of three numbers, such as points in space.
#pragma once

#include <array>
#include <cmath>

namespace thallo {

using Vector3 = std::array<double, 3>;

inline Vector3 operator+(const Vector3& a, const Vector3& b) {
  return {a[0] + b[0], a[1] + b[1], a[2] + b[2]};
}
inline Vector3 operator-(const Vector3& a, const Vector3& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
inline Vector3 operator-(const Vector3& v) { return {-v[0], -v[1], -v[2]}; }
inline Vector3 operator*(double scale, const Vector3& v) {
  return {scale * v[0], scale * v[1], scale * v[2]};
}
// Templates, so that two lists in braces are never these but vectors of expressions.
template <class Real>
Real dot(const std::array<Real, 3>& a, const std::array<Real, 3>& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
template <class Real>
std::array<Real, 3> cross(const std::array<Real, 3>& a, const std::array<Real, 3>& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
inline double length(const Vector3& v) { return std::hypot(v[0], v[1], v[2]); }
inline double distance(const Vector3& a, const Vector3& b) { return length(a - b); }
inline Vector3 normalized(const Vector3& v) {
  const double size = length(v);
  return {v[0] / size, v[1] / size, v[2] / size};
}

}  // namespace thallo
