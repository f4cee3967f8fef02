// Converts pictures for processing and for showing results.
#pragma once

#include <span>

#include "core/base/io/image.h"

namespace thallo {

// Returns the picture with three channels: gray is repeated three times, alpha is blended over
// white.
Image to_rgb(const Image& image);

// Puts pictures side by side from left to right. Their heights and their numbers of channels must
// be equal.
Image side_by_side(std::span<const Image> pictures);

}  // namespace thallo
