#include "core/base/mesh.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <tuple>

#include <fmt/format.h>

namespace thallo {
namespace {

// The corner of a triangle that is opposite to one of its edges, for one direction of that edge.
struct Wing {
  std::int32_t from, to;
  bool is_left;  // the triangle is on the left of from -> to
  std::int32_t opposite;
};

}  // namespace

std::string crowding_text(std::span<const CrowdedEdge> crowded, std::string_view neighbors) {
  if (crowded.empty()) return {};
  const auto& [v0, v1, count] = crowded.front();
  std::string text =
      fmt::format("the edge {}-{} has {} {}, of which two are kept", v0, v1, count, neighbors);
  if (crowded.size() > 1)
    text += fmt::format("; so have {} other edges more than two", crowded.size() - 1);
  return text;
}

MeshEdges directed_edges(std::span<const Triangle> triangles, std::int64_t num_vertices) {
  std::vector<std::vector<Wing>> wings(static_cast<std::size_t>(num_vertices));
  for (const Triangle& t : triangles) {
    for (std::size_t k = 0; k < 3; ++k) {
      const std::int32_t a = t[k];
      const std::int32_t b = t[(k + 1) % 3];
      const std::int32_t c = t[(k + 2) % 3];
      if (a == b) continue;
      wings[static_cast<std::size_t>(a)].push_back({a, b, true, c});
      wings[static_cast<std::size_t>(b)].push_back({b, a, false, c});
    }
  }
  MeshEdges edges;
  for (std::vector<Wing>& ring : wings) {
    std::ranges::sort(
        ring, {}, [](const Wing& w) { return std::tuple(w.to, w.is_left ? 0 : 1, w.opposite); });
    for (std::size_t first = 0; first < ring.size();) {
      std::size_t last = first;
      while (last + 1 < ring.size() && ring[last + 1].to == ring[first].to) ++last;
      edges.v0.push_back(ring[first].from);
      edges.v1.push_back(ring[first].to);
      // Triangles on the left come first: the first gives v3, the last v2. So two triangles on the
      // same side, which disagree about their orientation, take one place each.
      const bool two = last > first;
      edges.v3.push_back(two || ring[first].is_left ? ring[first].opposite : -1);
      edges.v2.push_back(two || !ring[first].is_left ? ring[last].opposite : -1);
      if (last > first + 1 && ring[first].from < ring[first].to)
        edges.crowded.push_back({ring[first].from, ring[first].to, last + 1 - first});
      first = last + 1;
    }
  }
  return edges;
}

std::vector<std::array<double, 3>> group_normals(std::span<const Triangle> triangles,
                                                 std::span<const std::array<double, 3>> positions,
                                                 std::span<const Triangle> groups,
                                                 std::size_t num_groups) {
  std::vector<std::array<double, 3>> normals(num_groups, {0, 0, 0});
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    const auto corner = [&](std::size_t k) {
      return positions[static_cast<std::size_t>(triangles[t][k])];
    };
    const Vector3 n = cross(corner(1) - corner(0), corner(2) - corner(0));
    // Its length is twice the area.
    for (const std::int32_t group : groups[t]) {
      if (group < 0) continue;
      auto& sum = normals[static_cast<std::size_t>(group)];
      sum = sum + n;
    }
  }
  for (Vector3& n : normals)
    if (length(n) > 0) n = normalized(n);
  return normals;
}

std::vector<std::array<double, 3>> vertex_normals(
    std::span<const Triangle> triangles, std::span<const std::array<double, 3>> positions) {
  return group_normals(triangles, positions, triangles, positions.size());
}

double change_of_lengths(std::span<const std::int32_t> v0, std::span<const std::int32_t> v1,
                         std::span<const std::array<double, 3>> before,
                         std::span<const std::array<double, 3>> after) {
  double sum = 0;
  std::int64_t count = 0;
  for (std::size_t e = 0; e < v0.size(); ++e) {
    const auto v = static_cast<std::size_t>(v0[e]);
    const auto u = static_cast<std::size_t>(v1[e]);
    const double length = distance(before[v], before[u]);
    if (length == 0) continue;
    const double change = distance(after[v], after[u]) / length - 1;
    sum += change * change;
    ++count;
  }
  return count == 0 ? 0 : std::sqrt(sum / static_cast<double>(count));
}

double diagonal(std::span<const std::array<double, 3>> positions) {
  if (positions.empty()) return 0;
  std::array<double, 3> low = positions.front();
  std::array<double, 3> high = low;
  for (const auto& p : positions) {
    for (std::size_t c = 0; c < 3; ++c) {
      low[c] = std::min(low[c], p[c]);
      high[c] = std::max(high[c], p[c]);
    }
  }
  return std::hypot(high[0] - low[0], high[1] - low[1], high[2] - low[2]);
}

std::vector<double> coordinates(std::span<const std::array<double, 3>> positions) {
  std::vector<double> result;
  result.reserve(3 * positions.size());
  for (const auto& p : positions) result.insert(result.end(), p.begin(), p.end());
  return result;
}

std::vector<std::array<double, 3>> positions_from(std::span<const double> coordinates) {
  std::vector<std::array<double, 3>> result(coordinates.size() / 3);
  for (std::size_t i = 0; i < 3 * result.size(); ++i) result[i / 3][i % 3] = coordinates[i];
  return result;
}

}  // namespace thallo
