// What image_warping works on: a picture, a mask of the pixels that may move, and handles that pull
// some of them. They are drawn by drawing.h or read from three files beside each other, as
// published:
//
//   cat.png            the picture
//   cat_mask.png       same size; 0 (black) = active, anything else stays where it is
//   cat.constraints    the number of handles, then a line `x y target_x target_y` each, in pixels
//                      from the top left
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <vector>

#include "core/base/diagnostic.h"
#include "core/base/io/image.h"

namespace thallo::image_warping {

struct Handle {
  std::array<int, 2> pixel;   // x, y
  std::array<int, 2> target;  // x, y

  friend bool operator==(const Handle&, const Handle&) = default;
};

struct WarpInput {
  Image picture;                   // RGB
  std::vector<std::uint8_t> mask;  // one a pixel, row-major; 0 = active
  std::vector<Handle> handles;

  int width() const { return picture.width; }
  int height() const { return picture.height; }
  bool active(int x, int y) const { return mask[picture.index(x, y) / 3] == 0; }
  std::int64_t num_active() const;
};

// Errors name the file, and the line in the constraints: an absent or damaged file, a mask of
// another size, a handle outside the picture, fewer or more lines than the count says.
Expected<WarpInput> read_warp_input(const std::filesystem::path& picture);
Expected<std::vector<Handle>> parse_handles(const std::filesystem::path& file,
                                            std::string_view text, int width, int height);

// The energy's Constraints field, x and y adjacent: where a handle's pixel should be when it has
// gone the fraction `alpha` of its way, the place itself for the pixels of the picture's border,
// (-1, -1) = no constraint for all others.
std::vector<double> blend_constraints(const WarpInput& input, double alpha);

}  // namespace thallo::image_warping
