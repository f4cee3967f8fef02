// A pose graph as one would write it for Ceres: automatic derivatives, its own quaternion manifold,
// sparse Cholesky. Shares neither the energy nor the derivatives nor the solver with ours.
#pragma once

#include "core/base/io/g2o.h"
#include "tests/support/ceres_oracle.h"

namespace thallo::test {

// From the graph's poses; held are those that are fixed, else the first. The result's unknowns are
// the poses. InternalError where has_ceres() is false.
CeresResult minimize_pose_graph_with_ceres(const PoseGraph& graph,
                                           const CeresOptions& options = {});

}  // namespace thallo::test
