// Paper cut-outs on a wall under a lamp: the input of intrinsic_image_decomposition when no file is
// given, with the colors and the light it was made from. The same size gives the same pixels
// everywhere.
#pragma once

#include "problems/intrinsic_image_decomposition/decomposition.h"

namespace thallo::intrinsic_image_decomposition {

// `size` pixels in width and height, 16 to 16384.
DecompositionInput draw_papers(int size);

}  // namespace thallo::intrinsic_image_decomposition
