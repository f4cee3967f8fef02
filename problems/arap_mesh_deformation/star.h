// The generated input: a starfish that lies flat, its five arms held at their tips. Three of the
// tips stay, two are to be lifted and brought together above the middle.
#pragma once

#include "core/problem/mesh_handles.h"

namespace thallo::arap_mesh_deformation {

// Made from an icosahedron of 20 triangles that is refined `detail` times, to 20 · 3^detail
// triangles. About 2 in diameter.
HandledMesh make_star(int detail);

}  // namespace thallo::arap_mesh_deformation
