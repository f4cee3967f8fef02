#include "problems/cotangent_mesh_smoothing/roughness.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>

namespace thallo::cotangent_mesh_smoothing {
namespace {

using Positions = std::span<const std::array<double, 3>>;

// The normal of the triangle abc, as long as twice its area.
Vector3 normal(Positions positions, std::int32_t a, std::int32_t b, std::int32_t c) {
  const auto at = [&](std::int32_t vertex) { return positions[static_cast<std::size_t>(vertex)]; };
  return cross(at(b) - at(a), at(c) - at(a));
}

}  // namespace

double bend_across_edges(const MeshEdges& edges, Positions positions) {
  double squares = 0;
  double count = 0;
  for (std::size_t e = 0; e < edges.size(); ++e) {
    const std::int32_t v = edges.v0[e];
    const std::int32_t u = edges.v1[e];
    if (edges.v2[e] < 0 || edges.v3[e] < 0) continue;
    const Vector3 after = normal(positions, v, u, edges.v3[e]);
    const Vector3 before = normal(positions, v, edges.v2[e], u);
    const Vector3 sine = cross(after, before);
    const double angle = std::atan2(std::sqrt(dot(sine, sine)), dot(after, before));
    squares += angle * angle;
    ++count;
  }
  return count > 0 ? std::sqrt(squares / count) * 180 / std::numbers::pi : 0;
}

}  // namespace thallo::cotangent_mesh_smoothing
