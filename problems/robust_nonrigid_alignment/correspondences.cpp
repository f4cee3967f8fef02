#include "problems/robust_nonrigid_alignment/correspondences.h"

#include <cmath>

#include "core/base/mesh.h"
#include "core/base/random.h"

namespace thallo::robust_nonrigid_alignment {
namespace {

double dot(const std::array<double, 3>& a, const std::array<double, 3>& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

}  // namespace

std::vector<std::int32_t> match(const Scan& scan, const Mesh& mesh, const MatchRules& rules) {
  const auto normals = vertex_normals(mesh.triangles, mesh.positions);
  std::vector<std::int32_t> matches(mesh.positions.size(), -1);
  for (std::size_t vertex = 0; vertex < matches.size(); ++vertex) {
    for (const auto& [point, away] :
         scan.nearest.find(mesh.positions[vertex], rules.num_neighbors)) {
      if (away > rules.max_distance) break;  // the others are farther
      if (dot(normals[vertex], scan.mesh.normals[static_cast<std::size_t>(point)]) <=
          rules.min_cosine)
        continue;
      matches[vertex] = point;
      break;
    }
  }
  return matches;
}

std::vector<std::int32_t> draw_spurious(std::size_t num_vertices, std::size_t scan_size,
                                        double share, std::uint64_t seed) {
  Random random(seed);
  std::vector<std::int32_t> spurious(num_vertices, -1);
  for (std::int32_t& point : spurious)
    if (random.uniform() < share) point = static_cast<std::int32_t>(random.below(scan_size));
  return spurious;
}

double mean_length(std::span<const std::array<std::int32_t, 2>> edges,
                   std::span<const std::array<double, 3>> positions) {
  double sum = 0;
  for (const auto& [v, u] : edges)
    sum += distance(positions[static_cast<std::size_t>(v)], positions[static_cast<std::size_t>(u)]);
  return edges.empty() ? 0 : sum / static_cast<double>(edges.size());
}

double distance_to_scan(const Scan& scan, std::span<const std::array<double, 3>> positions) {
  double sum = 0;
  for (const auto& place : positions) {
    const auto point = static_cast<std::size_t>(scan.nearest.find(place, 1).front().point);
    const auto& at = scan.mesh.positions[point];
    const double away =
        dot(scan.mesh.normals[point], {place[0] - at[0], place[1] - at[1], place[2] - at[2]});
    sum += away * away;
  }
  return std::sqrt(sum / static_cast<double>(positions.size()));
}

}  // namespace thallo::robust_nonrigid_alignment
