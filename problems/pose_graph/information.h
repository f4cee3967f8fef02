// Square roots of information matrices, which turn eᵀ I e into ‖W e‖².
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "core/base/diagnostic.h"
#include "core/base/pose_graph.h"

namespace thallo::pose_graph {

// What to do with a matrix that is not positive semidefinite: rounding of a file makes them.
enum class Indefinite { Refuse, Repair };

// W of every edge, sighting and prior, row by row, with WᵀW = I: the transposed Cholesky factor.
// Directions without information are zero rows.
struct InformationRoots {
  std::vector<double> edges, sightings, priors;
  std::size_t num_repaired = 0;

  // The numbers that were measured: rows that are not zero.
  std::int64_t num_measured(const PoseGraph& graph) const;
};

// Repairing changes the graph's matrices to the nearest that are positive semidefinite, and warns
// once of all. A fault names the first edge.
Expected<InformationRoots> information_roots(const std::filesystem::path& file, PoseGraph& graph,
                                             Indefinite indefinite);

}  // namespace thallo::pose_graph
