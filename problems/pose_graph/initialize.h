// Starts for a pose graph that its measurements alone make, whatever poses it came with: far from
// the truth the solver ends in a local minimum. Poses that are fixed stay where they are, and so
// does the first pose of a part of the graph that has none. Landmarks follow from the poses.
#pragma once

#include <limits>

#include "core/base/pose_graph.h"

namespace thallo::pose_graph {

// Each pose follows from one that stays by the measurements along a shortest path. The errors of
// long paths add up.
void initialize_along_tree(PoseGraph& graph);

// Chordal relaxation (Carlone et al.: Initialization techniques for 3D SLAM, ICRA 2015): the
// rotations Rᵢ minimize Σ κ ‖Rⱼ − Rᵢ Zᵢⱼ‖² as if they were any matrices, which is a linear least
// squares problem, and are replaced by the nearest rotations; with these the positions are another
// linear problem. κ is the mean information of the angles. Returns false, and leaves the poses as
// they are, where numbers are too large or too different to solve for them, or a factorization
// takes more than `most_flops`.
bool initialize_by_chords(PoseGraph& graph,
                          double most_flops = std::numeric_limits<double>::infinity());

// Returns ½ Σ eᵀ I e over the edges, as the energies define it.
double cost_of_edges(const PoseGraph& graph);

}  // namespace thallo::pose_graph
