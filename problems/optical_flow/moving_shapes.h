// Two moments of a scene whose parts are known to move: the input of optical_flow when no files are
// given. A wall slides, a disk turns, a card flies before both. The same size gives the same
// pictures everywhere.
#pragma once

#include "problems/optical_flow/flow_input.h"

namespace thallo::optical_flow {

// `size` pixels in width, three quarters in height; 32 to 8192. Motions grow with the size, up to
// about 4 % of it.
FlowInput draw_moving_shapes(int size);

}  // namespace thallo::optical_flow
