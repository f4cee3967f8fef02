// The text format of Bundler (bundle.out, version 0.3):
//
//   # Bundle file v0.3
//   num_cameras num_points
//   f k1 k2 / R (three rows) / t                        five lines a camera
//   x y z / r g b / n (camera key x y) ...              three lines a point
//
// The camera is that of a BAL file (bal.h), its rotation a matrix.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string_view>
#include <vector>

#include "core/base/diagnostic.h"
#include "core/base/io/bal.h"

namespace thallo {

struct BundlerFile {
  BalProblem scene;                                 // observations point by point
  std::vector<std::array<std::int32_t, 3>> colors;  // of points
  std::vector<std::int32_t> keys;                   // of observations
  // R of each camera, row by row, which is written unless the camera was turned. Cameras that were
  // not found have zeros.
  std::vector<std::array<double, 9>> rotations = {};
};

bool is_bundler(std::string_view content);
// Errors state the line, as those of BAL files.
Expected<BundlerFile> parse_bundler(const std::filesystem::path& name, std::string_view content);
// Writes all digits. `file` must have its observations point by point.
Expected<void> write_bundler(const std::filesystem::path& path, const BundlerFile& file);

}  // namespace thallo
