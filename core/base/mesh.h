// Adjacency and geometry of triangle meshes: directed edges with their one-ring neighbors, normals,
// and the size of the bounding box. The functions take triangles and positions, so they work for
// meshes from any file.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/vector3.h"

namespace thallo {

using Triangle = std::array<std::int32_t, 3>;  // vertices, counter-clockwise from outside

// An edge of more than two triangles or faces, v0 < v1.
struct CrowdedEdge {
  std::int32_t v0 = 0, v1 = 0;
  std::size_t count = 0;

  friend bool operator==(const CrowdedEdge&, const CrowdedEdge&) = default;
};

// Returns a sentence about crowded edges, of whose `neighbors` ("triangles") two are kept; "" if
// there are none.
std::string crowding_text(std::span<const CrowdedEdge> crowded, std::string_view neighbors);

// Both directions of every edge, sorted by v0, then v1. On a counter-clockwise walk around v0, v2
// is the neighbor before v1 and v3 the one after it:
//
//          v0
//        / | \          (v0, v1, v3) and (v0, v2, v1) are the triangles on the edge
//      v2  |  v3
//        \ | /
//          v1
//
// At a border, one of v2 and v3 is -1. If triangles disagree about their orientation, or more than
// two share an edge, v2 and v3 are corners of two of them.
struct MeshEdges {
  std::vector<std::int32_t> v0, v1, v2, v3;
  std::vector<CrowdedEdge> crowded;

  std::size_t size() const { return v0.size(); }
};

// Corners must be vertices: 0 <= corner < num_vertices. Edges from a vertex to itself, which
// degenerate triangles can have, are left out.
MeshEdges directed_edges(std::span<const Triangle> triangles, std::int64_t num_vertices);

// Returns the unit normal of each group of corners: the normalized mean over their triangles,
// weighted by area; zero for a group without any. `groups` has the groups of the corners of each
// triangle, or -1.
std::vector<std::array<double, 3>> group_normals(std::span<const Triangle> triangles,
                                                 std::span<const std::array<double, 3>> positions,
                                                 std::span<const Triangle> groups,
                                                 std::size_t num_groups);
// Returns the unit normal of each vertex.
std::vector<std::array<double, 3>> vertex_normals(std::span<const Triangle> triangles,
                                                  std::span<const std::array<double, 3>> positions);

// Returns the root mean square of the relative changes of the lengths of edges, from v0[e] to
// v1[e]; 0 if there are none. Edges that had no length are left out.
double change_of_lengths(std::span<const std::int32_t> v0, std::span<const std::int32_t> v1,
                         std::span<const std::array<double, 3>> before,
                         std::span<const std::array<double, 3>> after);

// Returns the diagonal of the bounding box; 0 if there are no positions.
double diagonal(std::span<const std::array<double, 3>> positions);

// Convert positions to and from x y z of every vertex, the form in which fields of an energy are
// bound and read back.
std::vector<double> coordinates(std::span<const std::array<double, 3>> positions);
std::vector<std::array<double, 3>> positions_from(std::span<const double> coordinates);

}  // namespace thallo
