// Square roots of information matrices, which turn eᵀ I e into ‖W e‖².
#pragma once

#include <filesystem>
#include <vector>

#include "core/base/diagnostic.h"
#include "core/base/io/g2o.h"

namespace thallo::pose_graph {

// W of every edge, row by row, with WᵀW = I: the transposed Cholesky factor. Directions without
// information (zero rows) are allowed; a matrix that is not positive semidefinite is an error that
// names the edge.
Expected<std::vector<double>> information_roots(const std::filesystem::path& file,
                                                const PoseGraph& graph);

}  // namespace thallo::pose_graph
