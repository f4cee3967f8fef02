// The generated input: a robot walks, measures its own steps and recognizes places near which it
// was before, all with noise. The start puts its steps one after the other, which drifts.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/pose_graph.h"

namespace thallo::pose_graph {

struct WalkOptions {
  int dimension = 3;
  int rounds = 16;  // around a sphere from pole to pole, or rows of a plane
  int poses_a_round = 32;
  double position_noise = 0.04;  // standard deviations of a measurement, in steps
  double angle_noise = 0.01;     // in radians, about each axis
  std::uint64_t seed = 1;
};

struct Walk {
  PoseGraph graph;
  std::vector<double> true_poses;  // laid out as the poses of the graph
};

// A step is about 1 long. In space the walk is a spiral on a sphere, in the plane it goes to and
// fro in rows like a lawn mower; every pose recognizes its neighbor of the round before.
Walk make_walk(const WalkOptions& options);

}  // namespace thallo::pose_graph
