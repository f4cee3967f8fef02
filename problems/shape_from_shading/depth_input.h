// What shape_from_shading and shape_and_shading work on: a depth map, the brightness of its pixels,
// and the camera and light they were taken with. They are made by relief.h or read from the files
// of the published example, beside each other, each compressed or not:
//
//   NAME.SFSSolverParameters          40 numbers of 4 bytes: weights, camera, light
//   NAME_targetDepth.imagedump        float, meters; not positive = missing
//   NAME_initialUnknown.imagedump     where the solve starts
//   NAME_targetIntensity.imagedump    float, 0 to 1
//   NAME_maskEdgeMap.imagedump        bytes, two masks one below the other: 1 = no edge to the
//                                     right neighbor, 1 = no edge to the lower one. May be absent
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include "core/base/diagnostic.h"
#include "core/base/io/image.h"

namespace thallo::shape_from_shading {

struct Camera {
  std::array<double, 2> focal_length;     // pixels
  std::array<double, 2> principal_point;  // pixels
};

// Coefficients of 1, y, z, x, xy, yz, 2zz - xx - yy, zx, xx - yy of the normal.
using Light = std::array<double, 9>;

struct Weights {
  double fit = 100;     // w_p
  double smooth = 100;  // w_s
  double shading = 1;   // w_g
};

struct DepthInput {
  Image depth;                                              // measured, meters
  Image start;                                              // of the solve
  Image brightness;                                         // gray
  std::vector<std::uint8_t> compares_right, compares_down;  // one a pixel, row-major
  Camera camera;
  Light light{};
  Weights weights;
  std::optional<Image> truth;  // depth

  int width() const { return depth.width; }
  int height() const { return depth.height; }
  bool measured(int x, int y) const {
    return x >= 0 && y >= 0 && x < width() && y < height() && depth.at(x, y) > 0;
  }
  std::int64_t num_measured() const;
};

// Sets the masks so that every pixel is compared with its right and lower neighbors if both have a
// normal.
void compare_all(DepthInput& input);

// Makes the depths of pixels missing that are darker than `darkest`: their normals are hardly seen.
void drop_dark_pixels(DepthInput& input, double darkest);

// Light that is the same from everywhere, as bright as the measured pixels are in the mean.
Light even_light(const DepthInput& input);

// `parameters`: the path of NAME.SFSSolverParameters. Errors name the file: an absent or damaged
// one, one of another size than the depth map.
Expected<DepthInput> read_depth_input(const std::filesystem::path& parameters);

// Sets camera, light and weights from the content of NAME.SFSSolverParameters.
Expected<void> parse_parameters(const std::filesystem::path& file, std::string_view content,
                                DepthInput& input);

}  // namespace thallo::shape_from_shading
