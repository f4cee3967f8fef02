// Draws pose graphs: the walk as a line, colored from its beginning to its end, over the edges that
// close loops.
#pragma once

#include "core/base/io/image.h"
#include "core/base/io/mesh.h"
#include "core/base/pose_graph.h"

namespace thallo::pose_graph {

// The plane is seen from above, space from the side and a little above; both panels show the same
// section. Landmarks are dots.
Image draw_graphs(const PoseGraph& before, const PoseGraph& after);

// The positions of the poses as a point cloud in the same colors.
Mesh make_trajectory(const PoseGraph& graph);

}  // namespace thallo::pose_graph
