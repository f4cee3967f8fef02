// A flower in relief on a shield, seen by a depth camera that is blind to its details: the input of
// shape_from_shading when no file is given. The same size gives the same input everywhere.
#pragma once

#include "problems/shape_from_shading/depth_input.h"

namespace thallo::shape_from_shading {

// `size` pixels in width and height, 16 to 4096. The measured depth is the true one, blurred; the
// brightness is what the true surface reflects.
DepthInput make_relief(int size);

}  // namespace thallo::shape_from_shading
