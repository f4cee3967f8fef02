// Kobbelt's √3 subdivision: a vertex at the center of every triangle, every edge between two
// triangles turned to join their centers, old vertices moved to the limit of their one-ring. Three
// times as many triangles; edges on a border stay.
#pragma once

#include "core/base/io/mesh.h"

namespace thallo {

// Old vertices keep their numbers, centers follow in the order of the triangles. Normals and colors
// are dropped.
Mesh subdivide_sqrt3(const Mesh& mesh);

}  // namespace thallo
