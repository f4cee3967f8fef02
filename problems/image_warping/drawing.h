// A striped fish on white, drawn at any size: the input of image_warping when no file is given. Its
// handles bend it into a leap. It is made of signed distances, so the outline is smooth at every
// size and the mask is exact. The same size gives the same pixels everywhere.
#pragma once

#include "problems/image_warping/warp_input.h"

namespace thallo::image_warping {

// `size` pixels in width and height, at least 16.
WarpInput draw_fish(int size);

}  // namespace thallo::image_warping
