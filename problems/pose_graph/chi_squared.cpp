#include "problems/pose_graph/chi_squared.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace thallo::pose_graph {
namespace {

std::int64_t num_determined(const PoseGraph& graph) {
  std::size_t count = 0;
  for (const Component& part : components(graph)) {
    const std::size_t free =
        graph.tangent_size() * (part.num_vertices - part.num_fixed_vertices) +
        static_cast<std::size_t>(graph.dimension) * (part.num_landmarks - part.num_fixed_landmarks);
    count += part.is_held() ? free : free - std::min(free, graph.tangent_size());
  }
  return static_cast<std::int64_t>(count);
}

}  // namespace

bool ChiSquared::is_suspicious() const {
  return by_freedom > 1 + std::max(0.25, 5 * std::sqrt(2 / freedom));
}

std::optional<ChiSquared> chi_squared_of(const PoseGraph& graph, std::int64_t num_measured,
                                         double cost) {
  const auto freedom = static_cast<double>(num_measured - num_determined(graph));
  if (freedom <= 0) return std::nullopt;
  return ChiSquared{2 * cost / freedom, freedom};
}

}  // namespace thallo::pose_graph
