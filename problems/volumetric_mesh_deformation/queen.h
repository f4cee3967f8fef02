// The generated input: a queen of chess, turned on a lathe, with a crown of eight points.
#pragma once

#include "core/base/io/mesh.h"

namespace thallo::volumetric_mesh_deformation {

// Has `around` vertices on each of some 2.4 `around` rings. It stands on the origin, y is up, and
// is 30 high and 9 wide.
Mesh make_queen(int around);

}  // namespace thallo::volumetric_mesh_deformation
