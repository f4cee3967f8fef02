#include "problems/cotangent_mesh_smoothing/roughness.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>

namespace thallo::cotangent_mesh_smoothing {
namespace {

using Vector3 = std::array<double, 3>;
using Positions = std::span<const std::array<double, 3>>;

Vector3 cross(const Vector3& a, const Vector3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

double dot(const Vector3& a, const Vector3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

// The normal of the triangle abc, as long as twice its area.
Vector3 normal(Positions positions, std::int32_t a, std::int32_t b, std::int32_t c) {
  const auto side = [&](std::int32_t end) {
    Vector3 result{};
    for (std::size_t k = 0; k < 3; ++k) {
      result[k] =
          positions[static_cast<std::size_t>(end)][k] - positions[static_cast<std::size_t>(a)][k];
    }
    return result;
  };
  return cross(side(b), side(c));
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
