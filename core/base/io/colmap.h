// Models of COLMAP: a folder with cameras, images and points3D, each .bin or .txt. A world point X
// is seen by an image at the place that its camera's lens (core/base/lens_model.h) gives to
// P = R X + t, with x to the right, y down and z ahead.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/diagnostic.h"
#include "core/base/lens_model.h"

namespace thallo {

struct ColmapModel {
  struct Camera {
    std::uint32_t id = 0;
    LensModel lens = LensModel::SimplePinhole;
    std::uint64_t width = 0, height = 0;
    std::vector<double> params;  // focal lengths, principal point (2), distortion
  };
  struct Image {
    std::uint32_t id = 0;
    std::array<double, 4> rotation{};  // quaternion w x y z
    std::array<double, 3> translation{};
    std::uint32_t camera = 0;  // its id
    std::string name;
    std::vector<std::array<double, 2>> places;  // of features, pixels
    std::vector<std::int64_t> points;           // the id of the point at each place; -1: none
  };
  struct Point {
    std::uint64_t id = 0;
    std::array<double, 3> position{};
    std::array<std::uint8_t, 3> color{};
    double error = 0;
    std::vector<std::array<std::uint32_t, 2>> track;  // image id, number of the feature
  };

  std::vector<Camera> cameras;
  std::vector<Image> images;
  std::vector<Point> points;
  bool is_binary = true;
};

// Errors name the file, and of a text the line: what is missing, a lens that is not known, ids that
// nothing has.
Expected<ColmapModel> read_colmap(const std::filesystem::path& folder);
// Writes the three files, as is_binary says, with all digits; makes the folder.
Expected<void> write_colmap(const std::filesystem::path& folder, const ColmapModel& model);

}  // namespace thallo
