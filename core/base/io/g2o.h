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

// A warning names the first of the vertices that only edges name, where others have a line. They
// come after those with a line of their own, in the order of ids, and are placed along edges (see
// place_along_edges), so that in a part without any line the smallest id is at the origin. Errors
// name the line: an unknown tag, a number missing or not finite, both dimensions in one file, a
// vertex twice.
Expected<PoseGraph> parse_g2o(const std::filesystem::path& name, std::string_view content);
Expected<PoseGraph> read_g2o(const std::filesystem::path& path);

// Parts of the graph that no edge connects; where a pose is held it holds its own part alone.
std::size_t num_components(const PoseGraph& graph);
// For each vertex the first one of its part.
std::vector<std::size_t> first_of_component(const PoseGraph& graph);
// Gives the vertices that are not `placed` the compositions of measurements along a breadth-first
// tree that starts from those that are and follows the edges of a vertex in their order. In a part
// without a placed vertex the first one is placed at the origin.
void place_along_edges(PoseGraph& graph, std::vector<bool> placed);
// Replaces information matrices that are not positive semidefinite by the nearest ones (in the
// Frobenius norm) that are: negative eigenvalues become 0. Returns how many it replaced.
std::size_t repair_information(PoseGraph& graph);

// Writes all digits, so that reading the file back gives the same graph.
Expected<void> write_g2o(const std::filesystem::path& path, const PoseGraph& graph);

}  // namespace thallo
