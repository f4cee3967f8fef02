// A pose graph as one would solve it by hand around Eigen's sparse Cholesky: forward derivatives,
// JtJ from triplets, a pattern that is analysed once. It takes the steps of our Levenberg-Marquardt
// (docs/algorithms.md), so that times can be compared.
#pragma once

#include "core/base/io/g2o.h"
#include "core/solve/options.h"

namespace thallo::test {

struct EigenResult {
  double initial_cost = 0;
  double final_cost = 0;
  int num_iterations = 0;
  double seconds = 0;
};

// From the graph's poses; held are those that are fixed, else the first. Ends by the options'
// function_tolerance and nIterations.
EigenResult minimize_pose_graph_with_eigen(const PoseGraph& graph, const SolverOptions& options);

}  // namespace thallo::test
