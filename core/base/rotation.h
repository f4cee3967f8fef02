// Rotations of space as vectors, the axis times the angle in radians.
#pragma once

#include <array>

#include "core/base/vector3.h"

namespace thallo {

// Rodrigues' formula.
Vector3 rotate(const Vector3& rotation, const Vector3& point);

// Return the vector of a rotation, by at most pi: that of a quaternion w x y z of any length, and
// that whose matrix has the rows x, y, z (orthonormal, right-handed).
Vector3 rotation_vector(const std::array<double, 4>& quaternion);
Vector3 rotation_vector_of_rows(const Vector3& x, const Vector3& y, const Vector3& z);

// Returns the unit quaternion w x y z.
std::array<double, 4> quaternion_of(const Vector3& rotation);

}  // namespace thallo
