#include "core/base/mesh_faces.h"

#include <algorithm>

#include "core/base/log.h"

namespace thallo {

void add_fan(std::span<const std::int32_t> corners, std::vector<Triangle>& triangles) {
  for (std::size_t i = 2; i < corners.size(); ++i)
    triangles.push_back({corners[0], corners[i - 1], corners[i]});
}

bool add_face(std::span<const std::int32_t> corners, Mesh& mesh) {
  if (corners.size() < 3) return false;
  add_fan(corners, mesh.triangles);
  mesh.fans.push_back(static_cast<std::int32_t>(corners.size()) - 2);
  return true;
}

void finish_faces(std::string_view name, std::size_t num_faces, Mesh& mesh) {
  if (num_faces > mesh.fans.size()) {
    logger("io").warn("{}: {} of {} faces have fewer than three corners and are left out", name,
                      num_faces - mesh.fans.size(), num_faces);
  }
  if (std::ranges::all_of(mesh.fans, [](std::int32_t size) { return size == 1; }))
    mesh.fans.clear();
}

FaceEdges edges_of_faces(const Mesh& mesh) {
  struct Side {
    std::array<std::int32_t, 2> ends;
    std::int32_t face;
    std::size_t corner;
  };
  FaceEdges edges;
  std::vector<Side> sides;
  for_each_face(mesh, [&](std::size_t face, std::span<const FaceCorner> corners) {
    const auto vertex = [&](std::size_t i) {
      return mesh.triangles[corners[i].triangle][corners[i].at];
    };
    edges.of_faces.emplace_back(corners.size(), -1);
    for (std::size_t i = 0; i < corners.size(); ++i) {
      const auto [low, high] = std::minmax({vertex(i), vertex((i + 1) % corners.size())});
      if (low != high) sides.push_back({{low, high}, static_cast<std::int32_t>(face), i});
    }
  });
  std::ranges::stable_sort(sides, {}, &Side::ends);
  for (std::size_t first = 0; first < sides.size();) {
    const auto edge = static_cast<std::int32_t>(edges.ends.size());
    std::size_t last = first;
    for (; last < sides.size() && sides[last].ends == sides[first].ends; ++last)
      edges.of_faces[static_cast<std::size_t>(sides[last].face)][sides[last].corner] = edge;
    const auto [v0, v1] = sides[first].ends;
    edges.ends.push_back(sides[first].ends);
    edges.faces.push_back({sides[first].face, last - first > 1 ? sides[first + 1].face : -1});
    if (last - first > 2) edges.crowded.push_back({v0, v1, last - first});
    first = last;
  }
  return edges;
}

}  // namespace thallo
