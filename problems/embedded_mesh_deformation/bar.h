// The generated input: a striped bar with rounded edges. The rim of its left end is held, that of
// its right end is to be twisted and bent upwards.
#pragma once

#include "core/problem/mesh_handles.h"

namespace thallo::embedded_mesh_deformation {

// Degrees by which the right end turns about the bar, and by which it then turns up.
struct BarPose {
  double twist = 90;
  double bend = 90;
};

// The bar is 4 long, along x, and 1 wide; `across` vertices are on each of its four sides.
HandledMesh make_bar(int across, const BarPose& pose);

}  // namespace thallo::embedded_mesh_deformation
