// The parts of a pose graph: poses, with rotations as quaternions and as rotation vectors, points,
// what was measured, and information matrices with their square roots.
#pragma once

#include "core/base/pose_graph.h"
#include "core/problem/files/data_part.h"

namespace thallo {

// Adds the parts of a graph, which must outlive them. Channels of poses are x y angle in 2D. In 3D
// they are x y z qx qy qz qw and rx ry rz, the same rotation as a vector (axis times angle): if
// those were changed, the written quaternion is made from them. Information is a row-major matrix
// for each measurement: I, or the upper triangular R with RᵀR = I, so that the residual is R e;
// making R fails if a matrix is not positive definite. What is fixed is 1, else 0; the first pose
// is if the file holds nothing.
void add_pose_parts(const PoseGraph& graph, PartSources& sources);

}  // namespace thallo
