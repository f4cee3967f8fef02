// Measures how rough a mesh is.
#pragma once

#include <array>
#include <span>

#include "core/base/mesh.h"

namespace thallo::cotangent_mesh_smoothing {

// The angle in degrees by which the two triangles of an edge are turned against each other, as root
// mean square over the edges that have two. How evenly the vertices are spread over the surface
// does not count: cotangent weights do not change it, for they move vertices along the normal.
double bend_across_edges(const MeshEdges& edges, std::span<const std::array<double, 3>> positions);

}  // namespace thallo::cotangent_mesh_smoothing
