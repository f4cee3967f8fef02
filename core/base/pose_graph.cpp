#include "core/base/pose_graph.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <deque>
#include <map>
#include <numeric>

namespace thallo {
namespace {

using Eigen::Quaterniond, Eigen::Vector2d, Eigen::Vector3d;

// out = a b, or a b⁻¹.
void compose(int dimension, const double* a, const double* b, bool inverse, double* out) {
  if (dimension == 2) {
    const double angle = inverse ? a[2] - b[2] : a[2];
    const double c = std::cos(angle);
    const double s = std::sin(angle);
    const double sign = inverse ? -1 : 1;
    out[0] = a[0] + sign * (c * b[0] - s * b[1]);
    out[1] = a[1] + sign * (s * b[0] + c * b[1]);
    out[2] = inverse ? angle : a[2] + b[2];
    return;
  }
  const Quaterniond turn(a + 3);
  const Quaterniond step(b + 3);
  const Quaterniond turned = turn * (inverse ? step.conjugate() : step);
  const Vector3d moved = (inverse ? turned : turn) * Vector3d(b);
  Eigen::Map<Vector3d>{out} = Vector3d(a) + (inverse ? -1 : 1) * moved;
  Eigen::Map<Quaterniond>{out + 3} = turned;
}

// point = a point
void move_by(int dimension, const double* pose, double* point) {
  if (dimension == 2) {
    Eigen::Map<Vector2d>{point} =
        Vector2d(pose) + Eigen::Rotation2Dd(pose[2]) * Vector2d(Eigen::Map<Vector2d>{point});
  } else {
    Eigen::Map<Vector3d>{point} =
        Vector3d(pose) + Quaterniond(pose + 3) * Vector3d(Eigen::Map<Vector3d>{point});
  }
}

// Sets of nodes that grow together. The first node of a set stands for it.
class Sets {
 public:
  explicit Sets(std::size_t num_nodes) : parent_(num_nodes) {
    std::iota(parent_.begin(), parent_.end(), std::size_t{0});
  }
  std::size_t first_of(std::size_t node) {
    while (parent_[node] != node) node = parent_[node] = parent_[parent_[node]];
    return node;
  }
  void unite(std::size_t a, std::size_t b) {
    a = first_of(a);
    b = first_of(b);
    parent_[std::max(a, b)] = std::min(a, b);
  }

 private:
  std::vector<std::size_t> parent_;  // which is never after its child
};

void unite_edges(const PoseGraph& graph, Sets& sets) {
  for (const auto& [i, j] : graph.edges)
    sets.unite(static_cast<std::size_t>(i), static_cast<std::size_t>(j));
}

}  // namespace

std::vector<std::size_t> first_connected(const PoseGraph& graph) {
  Sets sets(graph.num_vertices());
  unite_edges(graph, sets);
  std::vector<std::size_t> first(graph.num_vertices());
  for (std::size_t i = 0; i < first.size(); ++i) first[i] = sets.first_of(i);
  return first;
}

std::vector<Component> components(const PoseGraph& graph) {
  const std::size_t num_vertices = graph.num_vertices();
  const auto landmark_node = [&](std::int32_t landmark) {
    return num_vertices + static_cast<std::size_t>(landmark);
  };
  Sets sets(num_vertices + graph.landmarks.size());
  unite_edges(graph, sets);
  for (const auto& [vertex, landmark] : graph.sightings.edges)
    sets.unite(static_cast<std::size_t>(vertex), landmark_node(landmark));

  std::map<std::size_t, Component> by_first;
  for (std::size_t i = 0; i < num_vertices; ++i) ++by_first[sets.first_of(i)].num_vertices;
  for (std::size_t i = 0; i < graph.landmarks.size(); ++i)
    ++by_first[sets.first_of(num_vertices + i)].num_landmarks;
  for (const std::int32_t vertex : graph.fixed)
    ++by_first[sets.first_of(static_cast<std::size_t>(vertex))].num_fixed_vertices;
  for (const std::int32_t landmark : graph.landmarks.fixed)
    ++by_first[sets.first_of(landmark_node(landmark))].num_fixed_landmarks;
  for (const std::int32_t vertex : graph.priors.vertices)
    ++by_first[sets.first_of(static_cast<std::size_t>(vertex))].num_priors;

  std::vector<Component> found;
  for (const auto& [first, component] : by_first) found.push_back(component);
  return found;
}

void place_along_edges(PoseGraph& graph, std::vector<bool> placed) {
  const std::size_t size = graph.pose_size();
  std::vector<std::vector<std::size_t>> edges_of(graph.num_vertices());
  for (std::size_t e = 0; e < graph.num_edges(); ++e)
    for (const std::int32_t vertex : graph.edges[e])
      edges_of[static_cast<std::size_t>(vertex)].push_back(e);

  std::deque<std::size_t> queue;
  const auto reach_all_from_queue = [&] {
    while (!queue.empty()) {
      const std::size_t from = queue.front();
      queue.pop_front();
      for (const std::size_t e : edges_of[from]) {
        const bool inverse = static_cast<std::size_t>(graph.edges[e][0]) != from;
        const auto to = static_cast<std::size_t>(graph.edges[e][inverse ? 0 : 1]);
        if (placed[to]) continue;
        compose(graph.dimension, &graph.poses[from * size], &graph.measurements[e * size], inverse,
                &graph.poses[to * size]);
        placed[to] = true;
        queue.push_back(to);
      }
    }
  };
  for (std::size_t vertex = 0; vertex < graph.num_vertices(); ++vertex)
    if (placed[vertex]) queue.push_back(vertex);
  reach_all_from_queue();
  for (std::size_t root = 0; root < graph.num_vertices(); ++root) {
    if (placed[root]) continue;
    std::fill_n(graph.poses.begin() + static_cast<std::ptrdiff_t>(root * size), size, 0.0);
    if (graph.dimension == 3) graph.poses[root * size + 6] = 1;
    placed[root] = true;
    queue.push_back(root);
    reach_all_from_queue();
  }
}

void place_landmarks(PoseGraph& graph, std::vector<bool> placed) {
  const auto size = static_cast<std::size_t>(graph.dimension);
  const PoseGraph::Sightings& seen = graph.sightings;
  for (std::size_t i = 0; i < graph.landmarks.size(); ++i)
    if (!placed[i]) std::fill_n(&graph.landmarks.positions[size * i], size, 0.0);
  for (std::size_t s = 0; s < seen.size(); ++s) {
    const auto vertex = static_cast<std::size_t>(seen.edges[s][0]);
    const auto landmark = static_cast<std::size_t>(seen.edges[s][1]);
    if (placed[landmark]) continue;
    double* point = &graph.landmarks.positions[size * landmark];
    std::copy_n(&seen.measurements[size * s], size, point);
    move_by(graph.dimension, &seen.sensors[graph.pose_size() * s], point);
    move_by(graph.dimension, &graph.poses[graph.pose_size() * vertex], point);
    placed[landmark] = true;
  }
}

}  // namespace thallo
