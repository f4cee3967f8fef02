#include "core/backend/dense_solve.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <cmath>

#include "core/base/error.h"

namespace thallo {

std::vector<double> solve_dense(const std::vector<double>& matrix,
                                const std::vector<double>& damping, const std::vector<double>& free,
                                const std::vector<double>& b) {
  const auto n = static_cast<Eigen::Index>(b.size());
  THALLO_ASSERT_EQ(matrix.size(), b.size() * b.size());
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  Eigen::MatrixXd a = Eigen::Map<const RowMajor>(matrix.data(), n, n);
  a.diagonal() += Eigen::Map<const Eigen::VectorXd>(damping.data(), n);
  Eigen::VectorXd rhs = Eigen::Map<const Eigen::VectorXd>(b.data(), n);

  Eigen::VectorXd scale(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    const bool is_identity = free[static_cast<std::size_t>(i)] == 0 || a(i, i) == 0;
    if (is_identity) {
      a.row(i).setZero();
      a.col(i).setZero();
      a(i, i) = 1;
      rhs(i) = 0;
    }
    scale(i) = 1 / std::sqrt(a(i, i));
  }
  a = scale.asDiagonal() * a * scale.asDiagonal();
  const Eigen::LLT<Eigen::MatrixXd> factor(a);
  std::vector<double> x(b.size(), 0.0);
  if (!a.allFinite() || factor.info() != Eigen::Success) return x;
  const Eigen::VectorXd scaled_rhs = scale.cwiseProduct(rhs);
  Eigen::Map<Eigen::VectorXd>(x.data(), n) = scale.cwiseProduct(factor.solve(scaled_rhs));
  return x;
}

}  // namespace thallo
