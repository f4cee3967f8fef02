// A V-cycle of smoothed aggregation, an approximate inverse of a sparse, symmetric, positive
// definite matrix: symmetric and positive definite itself, so that it preconditions conjugate
// gradients. On each level a forward sweep of Gauss-Seidel goes before the coarse correction, and a
// backward one after it.
#pragma once

#include <Eigen/Core>
#include <Eigen/SparseCore>
#include <cstdint>
#include <vector>

#include "core/linear/row_modes.h"

namespace thallo {

class SmoothedAggregation {
 public:
  // Both triangles, columns ascending in each row, with the whole diagonal.
  using Matrix = Eigen::SparseMatrix<double, Eigen::RowMajor, std::int32_t>;
  using MatrixView = Eigen::Map<const Matrix>;

  // Makes the levels below the matrix. Returns false if the last one shows that the matrix is not
  // positive semidefinite.
  bool build(const MatrixView& matrix, const RowModes& modes);
  // z = M^-1 r, for the matrix that the levels were made for.
  void cycle(const MatrixView& matrix, const Eigen::VectorXd& r, Eigen::VectorXd& z);

  std::size_t num_levels() const { return levels_.size() + 1; }

 private:
  struct Level {
    Matrix prolongation;  // from this level to the one before
    Matrix restriction;   // its transpose
    Matrix matrix;
    Eigen::VectorXd residual, correction;
  };
  void solve_level(std::size_t level, const MatrixView& matrix, const Eigen::VectorXd& r,
                   Eigen::VectorXd& z);

  std::vector<Level> levels_;        // but the first
  Eigen::MatrixXd inverse_of_last_;  // empty if the last level is too large
  Eigen::VectorXd rest_;
};

}  // namespace thallo
