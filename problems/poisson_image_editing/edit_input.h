// What poisson_image_editing works on: a picture, a second one of the same size, and the pixels
// where the first shall take the details of the second. They are drawn by drawing.h or read from
// files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "core/base/diagnostic.h"
#include "core/base/io/image.h"

namespace thallo::poisson_image_editing {

struct EditInput {
  Image target;                    // RGB; kept outside the region
  Image source;                    // RGB; its differences are wanted inside
  std::vector<std::uint8_t> mask;  // one a pixel, row-major; 0 = edited

  int width() const { return target.width; }
  int height() const { return target.height; }
  bool edited(int x, int y) const { return mask[target.index(x, y) / 3] == 0; }
  std::int64_t num_edited() const;
};

// The mask's file is white (at least half) where the picture is edited. Errors name the file: an
// absent or damaged one, one of another size than the target.
Expected<EditInput> read_edit_input(const std::filesystem::path& target,
                                    const std::filesystem::path& source,
                                    const std::filesystem::path& mask);

// The target with the region replaced by the source as it is: what one would paste.
Image paste(const EditInput& input);

// How visible the seam is: the absolute difference between the jump from p to q in `picture` and
// that in the source, as mean over the channels and over neighbors p inside and q outside of the
// region.
double seam(const EditInput& input, const Image& picture);

}  // namespace thallo::poisson_image_editing
