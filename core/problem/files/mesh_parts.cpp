#include "core/problem/files/mesh_parts.h"

#include <string>
#include <vector>

namespace thallo {

DataPart MeshParts::edges(std::size_t columns, bool both_directions) {
  const auto num_vertices = static_cast<std::int64_t>(mesh_.positions.size());
  if (!edges_) edges_ = directed_edges(mesh_.triangles, num_vertices);
  const std::vector<std::int32_t>* ends[] = {&edges_->v0, &edges_->v1, &edges_->v2, &edges_->v3};
  DataPart part;
  for (std::size_t k = 0; k < columns; ++k) part.channels.push_back(std::to_string(k));
  part.num_targets = num_vertices;
  for (std::size_t e = 0; e < edges_->size(); ++e) {
    if (!both_directions && edges_->v0[e] > edges_->v1[e]) continue;
    for (std::size_t k = 0; k < columns; ++k) part.values.push_back((*ends[k])[e]);
  }
  part.extents = {static_cast<std::int64_t>(part.num_elements())};
  return part;
}

}  // namespace thallo
