// The parts of a pose graph: poses, with rotations as quaternions and as rotation vectors;
// information matrices and their square roots.
#pragma once

#include <vector>

#include "core/base/diagnostic.h"
#include "core/base/io/g2o.h"
#include "core/problem/files/data_part.h"

namespace thallo {

// `poses` are graph.poses or graph.measurements. The channels are x y angle in 2D. In 3D they are x
// y z qx qy qz qw and rx ry rz, the same rotation as a vector (axis times angle).
DataPart pose_part(const PoseGraph& graph, const std::vector<double>& poses);
// The inverse of pose_part(). If rx ry rz differ from the rotation of the overwritten pose, they
// were changed, and the new quaternion is made from them.
void write_poses(const DataPart& part, const PoseGraph& graph, std::vector<double>& poses);

// Returns row-major matrices, one for each edge: I, and the upper triangular R with RᵀR = I, so
// that the residual of an edge is R e. Fails if a matrix is not positive definite.
DataPart information_part(const PoseGraph& graph);
Expected<DataPart> sqrt_information_part(const PoseGraph& graph);

// Returns 1 for vertices that are held fixed (the first one if the file names none), else 0.
DataPart fixed_part(const PoseGraph& graph);

}  // namespace thallo
