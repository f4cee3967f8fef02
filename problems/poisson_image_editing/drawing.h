// A balloon in daylight and a lake at dusk: the input of poisson_image_editing when no file is
// given. The balloon goes into the evening sky. The same size gives the same pixels everywhere.
#pragma once

#include "problems/poisson_image_editing/edit_input.h"

namespace thallo::poisson_image_editing {

// `height` pixels in height, 16 to 16384; a third more in width.
EditInput draw_evening(int height);

}  // namespace thallo::poisson_image_editing
