// Rigid motions on numbers, as procrustes_alignment.lua says them symbolically.
#pragma once

#include <array>

namespace thallo::procrustes_alignment {

using Vector3 = std::array<double, 3>;

// First turned about x, y and z by these angles (radians), then shifted.
struct Motion {
  Vector3 angles{};
  Vector3 translation{};

  Vector3 operator()(const Vector3& point) const;
};

// The angle, in degrees, of the rotation that leads from one to the other; angles themselves say
// little, since different ones can mean the same rotation.
double degrees_between_rotations(const Motion& a, const Motion& b);

}  // namespace thallo::procrustes_alignment
