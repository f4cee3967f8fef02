#include "core/cost/learned/non_negative_least_squares.h"

#include <algorithm>

#include <Eigen/Cholesky>
#include <Eigen/Core>

namespace thallo {
namespace {

// A pivot below this share of the largest diagonal is that of a dependent column.
constexpr double SmallestPivot = 1e-12;

// Solves for the free coefficients; the others are zero.
Eigen::VectorXd solve_free(const Eigen::MatrixXd& gram, const Eigen::VectorXd& right,
                           const std::vector<Eigen::Index>& free) {
  const Eigen::MatrixXd a = gram(free, free);
  const Eigen::VectorXd b = right(free);
  Eigen::VectorXd x = Eigen::VectorXd::Zero(gram.rows());
  const Eigen::VectorXd solved = Eigen::LDLT<Eigen::MatrixXd>(a).solve(b);
  x(free) = solved;
  return x;
}

}  // namespace

std::vector<double> non_negative_least_squares(std::span<const double> gram_values,
                                               std::span<const double> right_values) {
  const auto size = static_cast<Eigen::Index>(right_values.size());
  const Eigen::MatrixXd gram = Eigen::Map<const Eigen::MatrixXd>(gram_values.data(), size, size);
  const Eigen::VectorXd right = Eigen::Map<const Eigen::VectorXd>(right_values.data(), size);
  const Eigen::Index n = gram.rows();
  const double tolerance = SmallestPivot * (n > 0 ? gram.diagonal().maxCoeff() : 0);
  Eigen::VectorXd x = Eigen::VectorXd::Zero(n);
  std::vector<bool> is_free(static_cast<std::size_t>(n), false);
  const auto free_ones = [&] {
    std::vector<Eigen::Index> free;
    for (Eigen::Index i = 0; i < n; ++i)
      if (is_free[static_cast<std::size_t>(i)]) free.push_back(i);
    return free;
  };
  for (Eigen::Index step = 0; step < 3 * n; ++step) {
    // Frees the coefficient by which the error falls the fastest.
    const Eigen::VectorXd descent = right - gram * x;
    Eigen::Index best = -1;
    for (Eigen::Index i = 0; i < n; ++i) {
      if (is_free[static_cast<std::size_t>(i)] || gram(i, i) <= tolerance) continue;
      if (descent(i) > tolerance && (best < 0 || descent(i) > descent(best))) best = i;
    }
    if (best < 0) break;
    is_free[static_cast<std::size_t>(best)] = true;
    // Goes towards the unconstrained solution until a coefficient would become negative, which is
    // then fixed at zero.
    for (Eigen::Index inner = 0; inner < n; ++inner) {
      const std::vector<Eigen::Index> free = free_ones();
      const Eigen::VectorXd wanted = solve_free(gram, right, free);
      double length = 1;
      for (const Eigen::Index i : free)
        if (wanted(i) <= 0) length = std::min(length, x(i) / std::max(x(i) - wanted(i), tolerance));
      x += length * (wanted - x);
      if (length == 1) break;
      for (const Eigen::Index i : free) {
        if (x(i) > tolerance) continue;
        x(i) = 0;
        is_free[static_cast<std::size_t>(i)] = false;
      }
    }
  }
  x = x.cwiseMax(0);
  return {x.begin(), x.end()};
}

}  // namespace thallo
