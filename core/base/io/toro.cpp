#include "core/base/io/toro.h"

#include <Eigen/Geometry>
#include <cmath>

namespace thallo {

void set_quaternion(const std::array<double, 3>& angles, double* quaternion) {
  using Eigen::AngleAxisd, Eigen::Vector3d;
  Eigen::Map<Eigen::Quaterniond>{quaternion} = AngleAxisd(angles[2], Vector3d::UnitZ()) *
                                               AngleAxisd(angles[1], Vector3d::UnitY()) *
                                               AngleAxisd(angles[0], Vector3d::UnitX());
}

std::array<double, 3> toro_angles(const double* quaternion) {
  const Eigen::Matrix3d r = Eigen::Quaterniond(quaternion).toRotationMatrix();
  const double yaw = std::atan2(r(1, 0), r(0, 0));
  const double s = std::sin(yaw), c = std::cos(yaw);
  return {std::atan2(s * r(0, 2) - c * r(1, 2), c * r(1, 1) - s * r(0, 1)),
          std::atan2(-r(2, 0), std::hypot(r(0, 0), r(1, 0))), yaw};
}

// Information I becomes E^T I E, with E = d (roll, pitch, yaw) / d rotation.
void turn_information(const std::array<double, 3>& angles, double* information) {
  const double sr = std::sin(angles[0]), cr = std::cos(angles[0]);
  const double cp = std::cos(angles[1]), tp = std::tan(angles[1]);
  Eigen::Matrix<double, 6, 6> e = Eigen::Matrix<double, 6, 6>::Identity();
  e.bottomRightCorner<3, 3>() << 1, sr * tp, cr * tp, 0, cr, -sr, 0, sr / cp, cr / cp;
  Eigen::Map<Eigen::Matrix<double, 6, 6>> matrix(information);
  const Eigen::Matrix<double, 6, 6> turned = e.transpose() * matrix * e;
  matrix = (turned + turned.transpose()) / 2;
}

}  // namespace thallo
