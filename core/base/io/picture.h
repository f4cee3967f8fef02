// What is done to pictures before they are worked on and when they are shown.
#pragma once

#include <span>

#include "core/base/io/image.h"

namespace thallo {

// Three channels: gray three times, alpha over white.
Image to_rgb(const Image& image);

// From left to right; heights and channels are equal.
Image side_by_side(std::span<const Image> pictures);

}  // namespace thallo
