#include "problems/pose_graph/information.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>

#include "core/base/option_text.h"

namespace thallo::pose_graph {
namespace {

// The upper factor W of a symmetric matrix; false when it is not positive semidefinite.
bool factor(std::span<const double> matrix, std::size_t n, std::span<double> w) {
  double largest = 0;
  for (std::size_t i = 0; i < n; ++i) largest = std::max(largest, matrix[i * n + i]);
  const double tiny = 1e-12 * largest;
  for (std::size_t i = 0; i < n; ++i) {
    double pivot = matrix[i * n + i];
    for (std::size_t k = 0; k < i; ++k) pivot -= w[k * n + i] * w[k * n + i];
    if (!(pivot >= -tiny)) return false;
    const double root = pivot > tiny ? std::sqrt(pivot) : 0.0;
    w[i * n + i] = root;
    for (std::size_t j = i + 1; j < n; ++j) {
      double entry = matrix[i * n + j];
      for (std::size_t k = 0; k < i; ++k) entry -= w[k * n + i] * w[k * n + j];
      if (root == 0 && std::abs(entry) > std::sqrt(tiny * largest)) return false;
      w[i * n + j] = root == 0 ? 0.0 : entry / root;
    }
  }
  return true;
}

}  // namespace

Expected<std::vector<double>> information_roots(const std::filesystem::path& file,
                                                const PoseGraph& graph) {
  const std::size_t n = graph.tangent_size();
  std::vector<double> roots(graph.information.size(), 0.0);
  for (std::size_t e = 0; e < graph.num_edges(); ++e) {
    const auto matrix = std::span(graph.information).subspan(e * n * n, n * n);
    if (factor(matrix, n, std::span(roots).subspan(e * n * n, n * n))) continue;
    const auto [i, j] = graph.edges[e];
    return fail_at({file.string(), 0, 0},
                   "the information matrix of edge {} ({} to {}) is not positive semidefinite "
                   "({} takes the nearest that is)",
                   e + 1, graph.ids[static_cast<std::size_t>(i)],
                   graph.ids[static_cast<std::size_t>(j)], option_text("repair_information"));
  }
  return roots;
}

}  // namespace thallo::pose_graph
