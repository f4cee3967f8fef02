// The faces of a mesh as its file has them. A face of more than three corners is a fan of
// triangles; see Mesh::fans.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/io/mesh.h"

namespace thallo {

// Corner `at` of a triangle.
struct FaceCorner {
  std::size_t triangle = 0;
  std::size_t at = 0;
};

// Calls use(face, corners) for each face, with its corners in their order.
template <class Use>
void for_each_face(const Mesh& mesh, const Use& use) {
  std::vector<FaceCorner> corners;
  std::size_t triangle = 0;
  for (std::size_t face = 0; face < mesh.num_faces(); ++face) {
    const std::size_t end =
        triangle + (mesh.fans.empty() ? 1 : static_cast<std::size_t>(mesh.fans[face]));
    corners = {{triangle, 0}, {triangle, 1}};
    for (; triangle < end; ++triangle) corners.push_back({triangle, 2});
    use(face, std::span<const FaceCorner>(corners));
  }
}

// Adds the triangles of a face, whose corners have these numbers. A face of fewer than three has
// none.
void add_fan(std::span<const std::int32_t> corners, std::vector<Triangle>& triangles);

// Adds a face to triangles and fans. Returns false for one of fewer than three corners.
bool add_face(std::span<const std::int32_t> corners, Mesh& mesh);
// Empties the fans if every face is a triangle, and warns if the file `name` had more faces than
// were added. Readers end with it.
void finish_faces(std::string_view name, std::size_t num_faces, Mesh& mesh);
// The edges of faces, and who meets at them.
struct FaceEdges {
  std::vector<std::array<std::int32_t, 2>> ends;   // v0 < v1, sorted
  std::vector<std::array<std::int32_t, 2>> faces;  // of each edge; the second is -1 at a border
  // For each face, the edge from each of its corners to the next one; -1 from a vertex to itself.
  std::vector<std::vector<std::int32_t>> of_faces;
  std::vector<CrowdedEdge> crowded;
};
FaceEdges edges_of_faces(const Mesh& mesh);

}  // namespace thallo
