// Conversions of pictures, before they are worked on and for showing results.
#pragma once

#include <span>

#include "core/base/io/image.h"

namespace thallo {

// The picture with three channels: gray is repeated three times, alpha is blended over white.
Image to_rgb(const Image& image);

// Puts pictures beside each other from left to right. Their heights must be equal, and so must
// their numbers of channels.
Image side_by_side(std::span<const Image> pictures);

}  // namespace thallo
