#include "problems/procrustes_alignment/motion.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>

namespace thallo::procrustes_alignment {
namespace {

using Rows = std::array<Vector3, 3>;

// Rz Ry Rx.
Rows rotation(const Vector3& angles) {
  const auto [ca, cb, cg] = Vector3{std::cos(angles[0]), std::cos(angles[1]), std::cos(angles[2])};
  const auto [sa, sb, sg] = Vector3{std::sin(angles[0]), std::sin(angles[1]), std::sin(angles[2])};
  return {{{cg * cb, cg * sb * sa - sg * ca, cg * sb * ca + sg * sa},
           {sg * cb, sg * sb * sa + cg * ca, sg * sb * ca - cg * sa},
           {-sb, cb * sa, cb * ca}}};
}

}  // namespace

Vector3 Motion::operator()(const Vector3& point) const {
  const Rows rows = rotation(angles);
  Vector3 moved = translation;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t k = 0; k < 3; ++k) moved[i] += rows[i][k] * point[k];
  }
  return moved;
}

double degrees_between_rotations(const Motion& a, const Motion& b) {
  // |A - B| = 2 sqrt(2) sin(angle / 2), which keeps the digits of small angles.
  const Rows first = rotation(a.angles);
  const Rows second = rotation(b.angles);
  double squares = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t k = 0; k < 3; ++k) squares += std::pow(first[i][k] - second[i][k], 2);
  }
  const double sine = std::min(1.0, std::sqrt(squares / 8));
  return 2 * std::asin(sine) * 180 / std::numbers::pi;
}

}  // namespace thallo::procrustes_alignment
