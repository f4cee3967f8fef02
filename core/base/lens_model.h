// How lenses map directions to places in a picture: the models of COLMAP, and that of Bundler and
// "bundle adjustment in the large". Energy texts write the same models symbolically; this one is
// for reports and tests.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

namespace thallo {

enum class LensModel {
  Bundler,  // f, k1, k2: that of Radial
  SimplePinhole,
  Pinhole,
  SimpleRadial,
  Radial,
  OpenCv,
  OpenCvFisheye
};

// A lens is its focal lengths (f, or fx and fy, in pixels), then its distortion.
struct LensModelInfo {
  LensModel model;
  std::string_view name;  // COLMAP's
  int colmap_id;          // negative if COLMAP does not have it
  std::size_t num_focal_lengths, num_distortions;

  std::size_t size() const { return num_focal_lengths + num_distortions; }
};
std::span<const LensModelInfo> lens_models();
const LensModelInfo& info_of(LensModel model);

// Where the direction (x / z, y / z) is seen, in pixels from the principal point.
std::array<double, 2> project(LensModel model, std::span<const double> lens,
                              const std::array<double, 2>& direction);

}  // namespace thallo
