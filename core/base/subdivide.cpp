#include "core/base/subdivide.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numbers>
#include <utility>

#include "core/base/mesh.h"

namespace thallo {
namespace {

using PointSum = std::array<double, 3>;

// Moves a vertex p with n neighbors to p + β (mean of the neighbors - p), where
// β = (4 - 2 cos(2π/n)) / 9; vertices on a border stay.
std::vector<std::array<double, 3>> relaxed_vertices(const Mesh& mesh) {
  const MeshEdges edges =
      directed_edges(mesh.triangles, static_cast<std::int64_t>(mesh.positions.size()));
  std::vector<std::array<double, 3>> result = mesh.positions;
  for (std::size_t first = 0; first < edges.size();) {
    const std::int32_t vertex = edges.v0[first];
    PointSum sum{};
    bool is_border = false;
    std::size_t last = first;
    for (; last < edges.size() && edges.v0[last] == vertex; ++last) {
      const auto& neighbor = mesh.positions[static_cast<std::size_t>(edges.v1[last])];
      for (std::size_t c = 0; c < 3; ++c) sum[c] += neighbor[c];
      is_border = is_border || edges.v2[last] < 0 || edges.v3[last] < 0;
    }
    const auto n = static_cast<double>(last - first);
    const double beta = (4 - 2 * std::cos(2 * std::numbers::pi / n)) / 9;
    first = last;
    if (is_border) continue;
    auto& point = result[static_cast<std::size_t>(vertex)];
    for (std::size_t c = 0; c < 3; ++c) {
      point[c] = (1 - beta) * point[c] + beta * sum[c] / n;
    }
  }
  return result;
}

}  // namespace

Mesh subdivide_sqrt3(const Mesh& mesh) {
  Mesh result;
  result.positions = relaxed_vertices(mesh);
  // The center on the left of each directed edge.
  std::map<std::pair<std::int32_t, std::int32_t>, std::int32_t> left;
  for (const Triangle& t : mesh.triangles) {
    const auto center = static_cast<std::int32_t>(result.positions.size());
    PointSum sum{};
    for (std::size_t k = 0; k < 3; ++k) {
      left[{t[k], t[(k + 1) % 3]}] = center;
      const auto& corner = mesh.positions[static_cast<std::size_t>(t[k])];
      for (std::size_t c = 0; c < 3; ++c) sum[c] += corner[c];
    }
    result.positions.push_back({sum[0] / 3, sum[1] / 3, sum[2] / 3});
  }
  for (const Triangle& t : mesh.triangles) {
    for (std::size_t k = 0; k < 3; ++k) {
      const std::int32_t a = t[k];
      const std::int32_t b = t[(k + 1) % 3];
      const std::int32_t own = left.at({a, b});
      const auto other = left.find({b, a});
      // An inner edge gives two triangles; each of its two old triangles adds the one at the first
      // vertex of its own direction of the edge.
      result.triangles.push_back(other == left.end() ? Triangle{a, b, own}
                                                     : Triangle{a, other->second, own});
    }
  }
  return result;
}

}  // namespace thallo
