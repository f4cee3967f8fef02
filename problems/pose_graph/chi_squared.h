// Whether the errors that are left are as large as the information matrices say.
#pragma once

#include <cstdint>
#include <optional>

#include "core/base/pose_graph.h"

namespace thallo::pose_graph {

// The sum of the squares of m weighted errors from which n unknowns were determined has the
// expectation m - n where the errors are as the information matrices say and the minimum is the
// global one.
struct ChiSquared {
  double by_freedom = 0;
  double freedom = 0;  // m - n

  // It has the standard deviation √(2 / freedom), which is large for few loops. Standard deviations
  // of measurements are rarely known better than to a tenth.
  bool is_suspicious() const;
};

// Absent where nothing is measured twice. Of a part of the graph that nothing holds in the world,
// its place is not determined; unknowns that nothing measures are a part of their own.
std::optional<ChiSquared> chi_squared_of(const PoseGraph& graph, std::int64_t num_measured,
                                         double cost);

}  // namespace thallo::pose_graph
