// The parts of a mesh that say what meets what: edges, faces, one-rings around vertices.
#pragma once

#include "core/base/io/mesh.h"
#include "core/problem/files/data_part.h"

namespace thallo {

// Adds the parts of a mesh with triangles, which must outlive them. Tables whose rows differ in
// length, such as the edges of each vertex, have -1 where a row ends; over `rank` = 2 their columns
// are a dim, and channels otherwise.
void add_mesh_parts(const Mesh& mesh, int rank, PartSources& sources);

}  // namespace thallo
