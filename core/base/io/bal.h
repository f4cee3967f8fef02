// The text format of the BAL data sets ("bundle adjustment in the large"):
//
//   num_cameras num_points num_observations
//   camera point x y                     one line per observation
//   number                               one line per number: 9 of each camera, 3 of each point
//
// A camera is an angle-axis rotation R, a translation t, the focal length f and the radial
// distortion k1, k2; a world point X is seen at f (1 + k1 r² + k2 r⁴) p with p = -P.xy / P.z,
// P = R X + t, r = ‖p‖, in pixels from the image center, y up.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string_view>
#include <vector>

#include "core/base/diagnostic.h"

namespace thallo {

struct BalObservation {
  std::int32_t camera = 0;
  std::int32_t point = 0;
  double x = 0.0;  // pixels
  double y = 0.0;

  friend bool operator==(const BalObservation&, const BalObservation&) = default;
};

struct BalProblem {
  using Camera = std::array<double, 9>;  // rotation 3, translation 3, f, k1, k2
  using Point = std::array<double, 3>;

  std::vector<Camera> cameras;
  std::vector<Point> points;
  std::vector<BalObservation> observations;

  friend bool operator==(const BalProblem&, const BalProblem&) = default;
};

// Errors state the line and what is wrong with which camera, point or observation (counted from 0):
// a text that is not a BAL file, a premature end, an index out of range, a value that is not
// finite, anything after the last point.
Expected<BalProblem> parse_bal(const std::filesystem::path& name, std::string_view content);
// Writes all digits, so that reading the file back gives the same problem.
Expected<void> write_bal(const std::filesystem::path& path, const BalProblem& problem);

}  // namespace thallo
