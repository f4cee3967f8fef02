// Aggregates: the elements of a graph in groups of neighbors, each of which is one element of the
// next coarser graph. Greedy, after Vanek, Mandel and Brezina, "Algebraic multigrid by smoothed
// aggregation for second and fourth order elliptic problems" (1996): an element none of whose
// neighbors is taken takes them all; then each other one goes to a neighbor's aggregate.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace thallo {

struct ElementGraph {
  std::vector<std::int32_t> offsets;    // by element, and the end
  std::vector<std::int32_t> neighbors;  // ascending, without the element itself
};

struct Aggregates {
  std::int32_t count = 0;
  std::vector<std::int32_t> of;  // by element
};

// The elements' graph of a sparse symmetric matrix, without edges between elements of different
// kinds. `offsets` and `columns` are those of the matrix.
ElementGraph element_graph(std::span<const std::int32_t> offsets,
                           std::span<const std::int32_t> columns,
                           std::span<const std::int32_t> element_of,
                           std::span<const std::int32_t> kind_of);

Aggregates aggregate(const ElementGraph& graph);

}  // namespace thallo
