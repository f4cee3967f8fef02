// Pose graphs in the text format of g2o, planar or spatial:
//
//   VERTEX_SE2 id x y θ                     VERTEX_SE3:QUAT id x y z qx qy qz qw
//   EDGE_SE2 i j x y θ I11 I12 ... I33      EDGE_SE3:QUAT i j x y z qx qy qz qw I11 I12 ... I66
//   VERTEX_XY id x y                        VERTEX_TRACKXYZ id x y z
//   EDGE_SE2_XY i l x y I11 I12 I22         EDGE_SE3_TRACKXYZ i l sensor x y z I11 ... I33
//   EDGE_PRIOR_SE2 i x y θ I11 ... I33      EDGE_SE3_PRIOR i sensor x y z qx ... qw I11 ... I66
//   FIX id ...                              PARAMS_SE3OFFSET sensor x y z qx qy qz qw
//
// An edge measures the pose of j in the frame of i, or the point l in the frame of a sensor of i; a
// prior measures the pose of a sensor of i in the world. PARAMS_SE3OFFSET puts a sensor into the
// frames of its poses. An information matrix is written as the upper triangle, translation before
// rotation. Blank lines, lines that begin with # and other lines PARAMS_... are skipped.
//
// TORO's VERTEX2, EDGE2, VERTEX3 and EDGE3 are read, too, and written into a file named .graph. The
// first two have I11 I12 I22 I33 I13 I23, the others roll, pitch and yaw in place of a quaternion;
// an edge without information has the identity. Lines EQUIV, which say again what edges say, are
// skipped.
#pragma once

#include <filesystem>
#include <string_view>

#include "core/base/diagnostic.h"
#include "core/base/pose_graph.h"

namespace thallo {

bool is_g2o(std::string_view content);
// True if all vertices and edges are those of TORO.
bool is_toro(std::string_view content);

// What the tags of a file say, without reading what is behind them.
struct PoseGraphKind {
  int dimension = 0;  // 0 if no tag says it
  bool has_landmarks = false, has_priors = false, is_toro = true;
};
PoseGraphKind kind_of_g2o(std::string_view content);

// Some vertices may occur in edges only, without a line of their own; a warning names the first of
// them if other vertices have lines. Those vertices follow the others, sorted by id, and are placed
// along edges (place_along_edges(), place_landmarks()). Errors state the line: an unknown tag, a
// missing or non-finite number, both dimensions in one file, a repeated vertex.
Expected<PoseGraph> parse_g2o(const std::filesystem::path& name, std::string_view content);

// Writes all digits, so that reading the file back gives the same graph. Fails for a file .graph
// unless the graph was read from one of TORO.
Expected<void> write_g2o(const std::filesystem::path& path, const PoseGraph& graph);

}  // namespace thallo
