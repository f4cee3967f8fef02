// How rough a mesh is.
#pragma once

#include <array>
#include <span>

#include "core/base/mesh.h"

namespace thallo::cotangent_mesh_smoothing {

// Degrees, root mean square over the edges with two triangles: by how much these are turned against
// each other. How evenly the vertices are spread over the surface does not count, and is not what
// cotangent weights change: they move vertices along the normal.
double bend_across_edges(const MeshEdges& edges, std::span<const std::array<float, 3>> positions);

}  // namespace thallo::cotangent_mesh_smoothing
