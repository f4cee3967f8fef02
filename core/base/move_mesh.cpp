#include "core/base/move_mesh.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <utility>

#include "core/base/mesh.h"

namespace thallo {
namespace {

using Vectors = std::vector<std::array<double, 3>>;

// Replaces normals of groups of corners, where `before` and `after` are those that the triangles
// make.
void renew(Vectors& normals, const Vectors& before, const Vectors& after) {
  for (std::size_t i = 0; i < normals.size(); ++i) {
    const auto& made = before[i];
    if (after[i] == std::array<double, 3>{}) continue;
    const double cosine = std::inner_product(made.begin(), made.end(), normals[i].begin(), 0.0);
    normals[i] = after[i];
    if (cosine < 0)
      for (double& c : normals[i]) c = -c;
  }
}

// Gives corners one number if and only if they are at one vertex and have equal normals, so that
// each can be made new.
void separate_vertices(const std::vector<Triangle>& triangles, CornerValues& normals) {
  std::map<std::pair<std::int32_t, std::array<double, 3>>, std::int32_t> numbers;
  Vectors values;
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    for (std::size_t k = 0; k < 3; ++k) {
      std::int32_t& normal = normals.of[t][k];
      if (normal < 0) continue;
      const auto& value = normals.values[static_cast<std::size_t>(normal)];
      const auto [found, is_new] =
          numbers.try_emplace({triangles[t][k], value}, static_cast<std::int32_t>(values.size()));
      if (is_new) values.push_back(value);
      normal = found->second;
    }
  }
  normals.values = std::move(values);
}

}  // namespace

Mesh with_positions(Mesh mesh, std::vector<std::array<double, 3>> positions) {
  const Vectors before = std::exchange(mesh.positions, std::move(positions));
  const auto& triangles = mesh.triangles;
  if (!mesh.normals.empty()) {
    renew(mesh.normals, vertex_normals(triangles, before),
          vertex_normals(triangles, mesh.positions));
  }
  CornerValues& corners = mesh.corner_normals;
  if (!corners.of.empty()) {
    separate_vertices(triangles, corners);
    const std::size_t count = corners.values.size();
    renew(corners.values, group_normals(triangles, before, corners.of, count),
          group_normals(triangles, mesh.positions, corners.of, count));
  }
  return mesh;
}

}  // namespace thallo
