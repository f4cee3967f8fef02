// Rigid motions of numbers; procrustes_alignment.lua has the same motions symbolically.
#pragma once

#include <array>

namespace thallo::procrustes_alignment {

using Vector3 = std::array<double, 3>;

// Turns points about x, then y, then z by these angles (radians), then shifts them.
struct Motion {
  Vector3 angles{};
  Vector3 translation{};

  Vector3 operator()(const Vector3& point) const;
};

// The angle, in degrees, of the rotation that leads from a's rotation to b's. Comparing their three
// angles would say little, since different ones can mean the same rotation.
double degrees_between_rotations(const Motion& a, const Motion& b);

}  // namespace thallo::procrustes_alignment
