#include "core/linear/symmetric_inverse.h"

#include <Eigen/OrderingMethods>
#include <Eigen/SparseCholesky>
#include <Eigen/SparseCore>
#include <cmath>

#include "core/base/error.h"

namespace thallo {
namespace {

using InverseMatrix = Eigen::SparseMatrix<double, Eigen::ColMajor, std::int64_t>;

// A pivot of the matrix with unit diagonal is what is left of a row when all that the rows before
// it explain is taken away. Rounding leaves some 1e-16 where nothing is left.
constexpr double SmallestPivot = 1e-13;

Eigen::VectorXd unit_scale(const SparseMatrix& matrix) {
  Eigen::VectorXd scale = Eigen::VectorXd::Ones(matrix.num_rows());
  for (std::int64_t row = 0; row < matrix.num_rows(); ++row) {
    const auto begin = matrix.offsets[static_cast<std::size_t>(row)];
    const auto end = matrix.offsets[static_cast<std::size_t>(row) + 1];
    for (std::size_t k = begin; k < end; ++k)
      if (matrix.columns[k] == row && matrix.values[k] > 0)
        scale[row] = 1 / std::sqrt(matrix.values[k]);
  }
  return scale;
}

InverseMatrix scaled_matrix(const SparseMatrix& matrix, const Eigen::VectorXd& scale) {
  std::vector<Eigen::Triplet<double, std::int64_t>> entries;
  entries.reserve(matrix.num_entries() + static_cast<std::size_t>(matrix.num_rows()));
  for (std::int64_t row = 0; row < matrix.num_rows(); ++row) {
    entries.emplace_back(row, row, 0.0);  // so that an empty row has a pivot
    const auto begin = matrix.offsets[static_cast<std::size_t>(row)];
    const auto end = matrix.offsets[static_cast<std::size_t>(row) + 1];
    for (std::size_t k = begin; k < end; ++k) {
      const std::int64_t column = matrix.columns[k];
      entries.emplace_back(row, column, scale[row] * matrix.values[k] * scale[column]);
    }
  }
  InverseMatrix result(matrix.num_rows(), matrix.num_rows());
  result.setFromTriplets(entries.begin(), entries.end());
  return result;
}

}  // namespace

struct SymmetricInverse::Factor {
  Eigen::VectorXd scale;
  Eigen::SimplicialLDLT<InverseMatrix, Eigen::Lower, Eigen::AMDOrdering<std::int64_t>> ldlt;
};

SymmetricInverse::SymmetricInverse(const SparseMatrix& matrix) : factor_(new Factor) {
  factor_->scale = unit_scale(matrix);
  factor_->ldlt.compute(scaled_matrix(matrix, factor_->scale));
}
SymmetricInverse::SymmetricInverse(SymmetricInverse&&) noexcept = default;
SymmetricInverse::~SymmetricInverse() = default;

std::optional<std::int64_t> SymmetricInverse::dependent_row() const {
  // After a pivot of 0 there are no others; that one is met first.
  const Eigen::VectorXd pivots = factor_->ldlt.vectorD();
  for (Eigen::Index place = 0; place < pivots.size(); ++place)
    if (!(pivots[place] > SmallestPivot)) return factor_->ldlt.permutationPinv().indices()[place];
  return {};
}

std::vector<double> SymmetricInverse::column(std::int64_t column) const {
  THALLO_ASSERT(factor_->ldlt.info() == Eigen::Success);
  Eigen::VectorXd unit = Eigen::VectorXd::Zero(factor_->scale.size());
  unit[column] = factor_->scale[column];
  const Eigen::VectorXd solved = factor_->scale.cwiseProduct(factor_->ldlt.solve(unit).eval());
  return {solved.begin(), solved.end()};
}

}  // namespace thallo
