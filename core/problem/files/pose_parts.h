// The parts of a pose graph: poses with their rotations as quaternions and as rotation vectors,
// information matrices and their square roots.
#pragma once

#include <vector>

#include "core/base/diagnostic.h"
#include "core/base/io/g2o.h"
#include "core/problem/files/data_part.h"

namespace thallo {

// `poses` are graph.poses or graph.measurements. Channels: x y angle, or x y z qx qy qz qw and the
// rotation vector rx ry rz (axis times angle) that says the same.
DataPart pose_part(const PoseGraph& graph, const std::vector<double>& poses);
// The inverse. If rx ry rz are not those of the pose that is overwritten, they have been changed,
// and the new quaternion is made from them.
void write_poses(const DataPart& part, const PoseGraph& graph, std::vector<double>& poses);

// Row-major matrices, one an edge: I, and the upper triangular R with RᵀR = I, so that the residual
// of an edge is R e. Fails on a matrix that is not positive definite.
DataPart information_part(const PoseGraph& graph);
Expected<DataPart> sqrt_information_part(const PoseGraph& graph);

// 1 for the vertices that are held (the first one, when the file names none), else 0.
DataPart fixed_part(const PoseGraph& graph);

}  // namespace thallo
