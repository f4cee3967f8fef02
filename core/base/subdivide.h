// Kobbelt's √3 subdivision: every triangle gets a vertex at its center, every edge between two
// triangles is turned to join their centers, and every old vertex moves towards the mean of its
// neighbors. The result has three times as many triangles. Edges and vertices on a border stay.
#pragma once

#include "core/base/io/mesh.h"

namespace thallo {

// Old vertices keep their numbers; centers follow in the order of the triangles. Normals and colors
// are dropped.
Mesh subdivide_sqrt3(const Mesh& mesh);

}  // namespace thallo
