#include "problems/pose_graph/information.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "core/base/log.h"
#include "core/base/option_text.h"

namespace thallo::pose_graph {
namespace {

// The upper factor W of a symmetric matrix; false when it is not positive semidefinite. A pivot is
// rounding beside its own entry of the diagonal, not beside the largest one: that depends on units.
bool factor(std::span<const double> matrix, std::size_t n, std::span<double> w) {
  constexpr double Rounding = 1e-14;
  for (std::size_t i = 0; i < n; ++i) {
    const double tiny = Rounding * matrix[i * n + i];
    double pivot = matrix[i * n + i];
    for (std::size_t k = 0; k < i; ++k) pivot -= w[k * n + i] * w[k * n + i];
    if (!(pivot >= -tiny)) return false;
    const double root = pivot > tiny ? std::sqrt(pivot) : 0.0;
    w[i * n + i] = root;
    for (std::size_t j = i + 1; j < n; ++j) {
      double entry = matrix[i * n + j];
      for (std::size_t k = 0; k < i; ++k) entry -= w[k * n + i] * w[k * n + j];
      if (root == 0 && std::abs(entry) > std::sqrt(tiny * matrix[j * n + j])) return false;
      w[i * n + j] = root == 0 ? 0.0 : entry / root;
    }
  }
  return true;
}

struct Roots {
  std::vector<double> values;
  std::vector<std::size_t> indefinite;  // positions of matrices that are
};

// Makes indefinite matrices the nearest that are positive semidefinite (in the Frobenius norm), in
// which negative eigenvalues are 0.
Roots roots_of(std::vector<double>& matrices, std::size_t n) {
  using Eigen::MatrixXd;
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const auto size = static_cast<Eigen::Index>(n);
  Roots roots{std::vector<double>(matrices.size(), 0.0), {}};
  for (std::size_t at = 0; at * n * n < matrices.size(); ++at) {
    const auto entries = std::span(matrices).subspan(at * n * n, n * n);
    const auto root = std::span(roots.values).subspan(at * n * n, n * n);
    if (factor(entries, n, root)) continue;
    Eigen::Map<MatrixXd> matrix(entries.data(), size, size);
    const Eigen::SelfAdjointEigenSolver<MatrixXd> solved(matrix);
    const Eigen::VectorXd& values = solved.eigenvalues();
    Eigen::Map<RowMajor> w(root.data(), size, size);
    w = values.cwiseMax(0).cwiseSqrt().asDiagonal() * solved.eigenvectors().transpose();
    matrix = w.transpose() * w;
    roots.indefinite.push_back(at);
  }
  return roots;
}

std::int64_t num_rows(const std::vector<double>& roots, std::size_t n) {
  std::int64_t count = 0;
  for (std::size_t at = 0; at < roots.size(); at += n * n)
    for (std::size_t row = 0; row < n; ++row)
      count += std::ranges::any_of(std::span(roots).subspan(at + row * n, n),
                                   [](double entry) { return entry != 0; });
  return count;
}

}  // namespace

std::int64_t InformationRoots::num_measured(const PoseGraph& graph) const {
  return num_rows(edges, graph.tangent_size()) +
         num_rows(sightings, static_cast<std::size_t>(graph.dimension)) +
         num_rows(priors, graph.tangent_size());
}

Expected<InformationRoots> information_roots(const std::filesystem::path& file, PoseGraph& graph,
                                             Indefinite indefinite) {
  InformationRoots roots;
  std::string first;  // that is not positive semidefinite
  const auto take_roots = [&](std::vector<double>& matrices, std::size_t n, const auto& name_of) {
    Roots found = roots_of(matrices, n);
    if (!found.indefinite.empty() && first.empty()) first = name_of(found.indefinite.front());
    roots.num_repaired += found.indefinite.size();
    return std::move(found.values);
  };
  const auto vertex_id = [&](std::int32_t i) { return graph.ids[static_cast<std::size_t>(i)]; };
  const auto edge_name = [&](std::size_t e) {
    return fmt::format("edge {} ({} to {})", e + 1, vertex_id(graph.edges[e][0]),
                       vertex_id(graph.edges[e][1]));
  };
  const auto sighting_name = [&](std::size_t s) {
    const auto& [vertex, landmark] = graph.sightings.edges[s];
    return fmt::format("the edge from {} to the point {}", vertex_id(vertex),
                       graph.landmarks.ids[static_cast<std::size_t>(landmark)]);
  };
  const auto prior_name = [&](std::size_t p) {
    return fmt::format("the prior of {}", vertex_id(graph.priors.vertices[p]));
  };
  const std::size_t tangent = graph.tangent_size();
  roots.edges = take_roots(graph.information, tangent, edge_name);
  roots.sightings = take_roots(graph.sightings.information,
                               static_cast<std::size_t>(graph.dimension), sighting_name);
  roots.priors = take_roots(graph.priors.information, tangent, prior_name);
  if (roots.num_repaired > 0 && indefinite == Indefinite::Refuse) {
    return fail_at({file.string(), 0, 0},
                   "the information matrix of {} is not positive semidefinite ({} takes the "
                   "nearest that is)",
                   first, option_text("repair_information", "true"));
  }
  if (roots.num_repaired > 0) {
    logger("pose_graph")
        .warn(
            "{}: {} information matrices are not positive semidefinite, first that of {}; the "
            "nearest that are take their places",
            file.string(), roots.num_repaired, first);
  }
  return roots;
}

}  // namespace thallo::pose_graph
