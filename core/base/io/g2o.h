// Pose graphs in the text format of g2o, planar (SE2) or spatial (SE3:QUAT):
//
//   VERTEX_SE2 id x y θ                     VERTEX_SE3:QUAT id x y z qx qy qz qw
//   EDGE_SE2 i j x y θ I11 I12 ... I33      EDGE_SE3:QUAT i j x y z qx qy qz qw I11 I12 ... I66
//   FIX id ...
//
// An edge measures the pose of j in the frame of i; its information matrix is written as the upper
// triangle, translation before rotation. Blank lines and lines that begin with # are skipped.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string_view>
#include <vector>

#include "core/base/diagnostic.h"

namespace thallo {

struct PoseGraph {
  int dimension = 2;  // of the space: 2 or 3

  // Vertices, in the order of the file. A pose is x y θ, or x y z qx qy qz qw with |q| = 1.
  std::vector<std::int64_t> ids;
  std::vector<double> poses;  // pose_size() per vertex

  std::vector<std::array<std::int32_t, 2>> edges;  // positions of i and j among the vertices
  std::vector<double> measurements;                // pose_size() per edge
  std::vector<double> information;                 // tangent_size()² per edge, row-major

  std::vector<std::int32_t> fixed;  // positions of the vertices that are held

  std::size_t pose_size() const { return dimension == 2 ? 3 : 7; }
  std::size_t tangent_size() const { return dimension == 2 ? 3 : 6; }
  std::size_t num_vertices() const { return ids.size(); }
  std::size_t num_edges() const { return edges.size(); }

  friend bool operator==(const PoseGraph&, const PoseGraph&) = default;
};

bool is_g2o(std::string_view content);

// Some vertices may occur in edges only, without a line of their own; a warning names the first of
// them if other vertices have lines. Those vertices follow the others, sorted by id, and are placed
// along edges (see place_along_edges); in a component without any line, the smallest id is at the
// origin. Errors state the line: an unknown tag, a missing or non-finite number, both dimensions in
// one file, a repeated vertex.
Expected<PoseGraph> parse_g2o(const std::filesystem::path& name, std::string_view content);
Expected<PoseGraph> read_g2o(const std::filesystem::path& path);

// Returns the number of connected components. A fixed pose fixes only its own component.
std::size_t num_components(const PoseGraph& graph);
// Returns, for each vertex, the first vertex of its component.
std::vector<std::size_t> first_of_component(const PoseGraph& graph);
// Places the vertices that are not `placed`, by composing measurements along a breadth-first tree.
// The tree starts from the placed vertices and follows the edges of a vertex in order. In a
// component without placed vertices, the first vertex is placed at the origin.
void place_along_edges(PoseGraph& graph, std::vector<bool> placed);
// Replaces information matrices that are not positive semidefinite by the nearest ones that are (in
// the Frobenius norm): negative eigenvalues become 0. Returns the number of replaced matrices.
std::size_t repair_information(PoseGraph& graph);

// Writes all digits, so that reading the file back gives the same graph.
Expected<void> write_g2o(const std::filesystem::path& path, const PoseGraph& graph);

}  // namespace thallo
