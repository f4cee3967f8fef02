// Rigid motions of space: camera poses as matrices, and as the six numbers that the energies have
// as unknowns (PoseToMatrix of the energy language).
#pragma once

#include <array>
#include <cstddef>

#include "core/base/vector3.h"

namespace thallo::bundle_fusion {

// p -> R p + t.
struct RigidMotion {
  std::array<double, 9> rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1};  // row-major
  Vector3 translation = {0, 0, 0};

  Vector3 row(std::size_t i) const {
    return {rotation[3 * i], rotation[3 * i + 1], rotation[3 * i + 2]};
  }
  Vector3 turn(const Vector3& v) const;  // R v
  Vector3 move(const Vector3& p) const;  // R p + t
};

using thallo::operator*;
// The motion b followed by a.
RigidMotion operator*(const RigidMotion& a, const RigidMotion& b);
RigidMotion inverse(const RigidMotion& motion);

// The exponential coordinates of a motion: the rotation w as axis times angle, and the vector u for
// which the motion's translation is V(w) u, where V is the left Jacobian of SO(3).
struct Twist {
  Vector3 rotation;
  Vector3 translation;
};

RigidMotion exponential(const Twist& twist);
// The angle is within [0, pi].
Twist logarithm(const RigidMotion& motion);

}  // namespace thallo::bundle_fusion
