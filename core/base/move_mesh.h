// Moves the vertices of a mesh.
#pragma once

#include <array>
#include <vector>

#include "core/base/io/mesh.h"

namespace thallo {

// Returns the mesh with these positions. Its normals are made new from the triangles, and look to
// the side to which they looked before. Vertices without triangles keep theirs. Corners of a vertex
// that shared a normal share the new one, so that edges that were sharp stay sharp.
Mesh with_positions(Mesh mesh, std::vector<std::array<double, 3>> positions);

}  // namespace thallo
