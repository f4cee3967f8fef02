// The parts of a mesh that are derived from its triangles: edges, and one-rings around vertices.
#pragma once

#include <cstddef>
#include <optional>

#include "core/base/io/mesh.h"
#include "core/base/mesh.h"
#include "core/problem/files/data_part.h"

namespace thallo {

class MeshParts {
 public:
  explicit MeshParts(const Mesh& mesh) : mesh_(mesh) {}

  // Returns the first `columns` of v0 to v3 of every edge; see directed_edges(). Without
  // `both_directions`, only the direction with v0 < v1.
  DataPart edges(std::size_t columns, bool both_directions);

 private:
  const Mesh& mesh_;
  std::optional<MeshEdges> edges_;  // shared by all parts; made for the first one
};

}  // namespace thallo
