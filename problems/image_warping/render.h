// Draws pictures of a warp.
#pragma once

#include <vector>

#include "core/base/io/image.h"
#include "problems/image_warping/warp_input.h"

namespace thallo::image_warping {

// The picture carried along by its pixels: every square of four active neighbors is drawn where its
// corners have gone, colors interpolated in between, nine samples a pixel. What it uncovers shows
// the picture's inactive pixels, and their mean color where the moved part or its outline was.
// `offsets`: x and y of every pixel's new place, as in the energy's Offset.
Image render_warp(const WarpInput& input, const std::vector<double>& offsets);

// The picture with a line from where every handle is to where it should be, and a dot at its goal.
Image draw_handles(const Image& picture, const std::vector<Handle>& handles);

}  // namespace thallo::image_warping
