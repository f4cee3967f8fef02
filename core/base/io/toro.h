// Rotations in the files of TORO: roll, pitch and yaw, about the axes x, y and z in this order.
#pragma once

#include <array>

namespace thallo {

// Convert to and from a quaternion x y z w.
void set_quaternion(const std::array<double, 3>& angles, double* quaternion);
std::array<double, 3> toro_angles(const double* quaternion);

// Makes information on position, roll, pitch and yaw, 6 x 6, that on a small rotation behind the
// one of these angles.
void turn_information(const std::array<double, 3>& angles, double* information);

}  // namespace thallo
