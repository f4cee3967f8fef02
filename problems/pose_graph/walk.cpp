#include "problems/pose_graph/walk.h"

#include <cmath>
#include <cstddef>
#include <numbers>

#include "core/base/random.h"
#include "core/energy/manifold.h"

namespace thallo::pose_graph {
namespace {

using Pose = std::vector<double>;
using std::numbers::pi;

// A B: A moved by B's translation in its frame, then turned by B's rotation.
Pose product(Manifold manifold, const Pose& a, const Pose& b) {
  if (manifold == Manifold::SE2) return plus(manifold, a, b);
  const Pose shifted = plus(manifold, a, Pose{b[0], b[1], b[2], 0, 0, 0});
  const double sine = std::hypot(b[3], b[4], b[5]);
  const double angle = 2 * std::atan2(sine, b[6]);
  const double scale = sine > 0 ? angle / sine : 2.0;
  return plus(manifold, shifted, Pose{0, 0, 0, scale * b[3], scale * b[4], scale * b[5]});
}

Pose inverse(Manifold manifold, const Pose& a) {
  if (manifold == Manifold::SE2) {
    return plus(manifold, Pose{0, 0, -a[2]}, Pose{-a[0], -a[1], 0});
  }
  return plus(manifold, Pose{0, 0, 0, -a[3], -a[4], -a[5], a[6]},
              Pose{-a[0], -a[1], -a[2], 0, 0, 0});
}

Pose on_sphere(const WalkOptions& o, int index) {
  const int count = o.rounds * o.poses_a_round;
  const double radius = o.poses_a_round / (2 * pi);
  // From a little off one pole to a little off the other.
  const double polar = pi * (0.12 + 0.76 * index / (count - 1.0));
  const double around = 2 * pi * index / o.poses_a_round;
  // Turned to the place from the north pole: about z, then about y.
  Pose pose = {0, 0, 0, 0, 0, 0, 1};
  pose = plus(Manifold::SE3, pose, Pose{0, 0, 0, 0, 0, around});
  pose = plus(Manifold::SE3, pose, Pose{0, 0, 0, 0, polar, 0});
  return plus(Manifold::SE3, pose, Pose{0, 0, radius, 0, 0, pi / 2});
}

Pose on_rows(const WalkOptions& o, int index) {
  const int row = index / o.poses_a_round;
  const int along = index % o.poses_a_round;
  const bool is_back = row % 2 == 1;
  const double x = is_back ? o.poses_a_round - 1 - along : along;
  return {x, static_cast<double>(row), is_back ? pi : 0.0};
}

}  // namespace

Walk make_walk(const WalkOptions& options) {
  const Manifold manifold = options.dimension == 2 ? Manifold::SE2 : Manifold::SE3;
  const int count = options.rounds * options.poses_a_round;
  Random random(options.seed);
  Walk walk;
  PoseGraph& graph = walk.graph;
  graph.dimension = options.dimension;
  std::vector<Pose> truth;
  for (int i = 0; i < count; ++i) {
    truth.push_back(options.dimension == 2 ? on_rows(options, i) : on_sphere(options, i));
    graph.ids.push_back(i);
    walk.true_poses.insert(walk.true_poses.end(), truth.back().begin(), truth.back().end());
  }

  const std::size_t n = graph.tangent_size();
  const std::size_t num_shifts = options.dimension == 2 ? 2 : 3;
  const auto measure = [&](int i, int j) {
    Pose noise;
    for (std::size_t k = 0; k < n; ++k) {
      noise.push_back(random.normal() *
                      (k < num_shifts ? options.position_noise : options.angle_noise));
    }
    const Pose between = product(manifold, inverse(manifold, truth[static_cast<std::size_t>(i)]),
                                 truth[static_cast<std::size_t>(j)]);
    const Pose measured = plus(manifold, between, noise);
    graph.edges.push_back({i, j});
    graph.measurements.insert(graph.measurements.end(), measured.begin(), measured.end());
    for (std::size_t r = 0; r < n; ++r) {
      for (std::size_t c = 0; c < n; ++c) {
        const double deviation = r < num_shifts ? options.position_noise : options.angle_noise;
        graph.information.push_back(r == c ? 1 / (deviation * deviation) : 0.0);
      }
    }
    return measured;
  };

  // The start puts the measured steps one after the other.
  Pose at = truth.front();
  graph.poses = at;
  for (int i = 1; i < count; ++i) {
    at = product(manifold, at, measure(i - 1, i));
    graph.poses.insert(graph.poses.end(), at.begin(), at.end());
  }
  for (int i = options.poses_a_round; i < count; ++i) {
    const int along = i % options.poses_a_round;
    const int before = options.dimension == 2 ? i - 2 * along - 1 : i - options.poses_a_round;
    if (before + 1 < i) measure(before, i);
  }
  return walk;
}

}  // namespace thallo::pose_graph
