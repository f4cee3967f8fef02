// Draws pose graphs: the walk as a line, colored from its beginning to its end, over the edges that
// close loops.
#pragma once

#include <span>

#include "core/base/io/g2o.h"
#include "core/base/io/image.h"
#include "core/base/io/mesh.h"

namespace thallo::pose_graph {

// Poses are laid out as those of the graph. The plane is seen from above, space from the side and a
// little above; both panels show the same section.
Image draw_graphs(const PoseGraph& graph, std::span<const double> before,
                  std::span<const double> after);

// The positions as a point cloud in the same colors.
Mesh make_trajectory(const PoseGraph& graph, std::span<const double> poses);

}  // namespace thallo::pose_graph
