#include "core/linear/symmetric_inverse.h"

#include <Eigen/OrderingMethods>
#include <Eigen/SparseCholesky>
#include <Eigen/SparseCore>
#include <cmath>

namespace thallo {
namespace {

using InverseMatrix = Eigen::SparseMatrix<double, Eigen::ColMajor, std::int64_t>;

// A pivot of the matrix with unit diagonal is what is left of a row when all that the rows before
// it explain is taken away. Rounding leaves some 1e-16 where nothing is left.
constexpr double SmallestPivot = 1e-13;
// The rows that are left out, each with a factorization: more than the motions of some scenes.
constexpr int MostLeftOut = 100;
// How far A x may be from 0 in a row that is left out, if x is a column of the inverse.
constexpr double LargestMiss = 1e-6;
constexpr double Rounding = 1e-12;

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
  InverseMatrix matrix;               // scaled
  std::vector<std::uint8_t> is_kept;  // by row
  Eigen::SimplicialLDLT<InverseMatrix, Eigen::Lower, Eigen::AMDOrdering<std::int64_t>> ldlt;

  // Returns a kept row that depends linearly on others, up to rounding.
  std::optional<std::int64_t> dependent_row() const {
    // After a pivot of 0 there are no others; that one is met first.
    const Eigen::VectorXd pivots = ldlt.vectorD();
    for (Eigen::Index place = 0; place < pivots.size(); ++place)
      if (!(pivots[place] > SmallestPivot)) return ldlt.permutationPinv().indices()[place];
    return {};
  }

  // Makes a row and its column those of the unit matrix.
  void leave_out(std::int64_t row) { is_kept[static_cast<std::size_t>(row)] = 0; }
  void factor() {
    InverseMatrix kept = matrix;
    kept.prune([this](std::int64_t row, std::int64_t column, double) {
      return row == column || (is_kept[static_cast<std::size_t>(row)] != 0 &&
                               is_kept[static_cast<std::size_t>(column)] != 0);
    });
    for (std::int64_t row = 0; row < kept.rows(); ++row)
      if (is_kept[static_cast<std::size_t>(row)] == 0) kept.coeffRef(row, row) = 1;
    ldlt.compute(kept);
  }
};

SymmetricInverse::SymmetricInverse(const SparseMatrix& matrix) : factor_(new Factor) {
  factor_->scale = unit_scale(matrix);
  factor_->matrix = scaled_matrix(matrix, factor_->scale);
  factor_->is_kept.assign(static_cast<std::size_t>(matrix.num_rows()), 1);
  for (std::int64_t row = 0; row < matrix.num_rows(); ++row)
    if (factor_->matrix.coeff(row, row) == 0) factor_->leave_out(row);
  factor_->factor();
  for (int i = 0; i < MostLeftOut; ++i) {
    const auto row = factor_->dependent_row();
    if (!row) return;
    factor_->leave_out(*row);
    factor_->factor();
  }
}
SymmetricInverse::SymmetricInverse(SymmetricInverse&&) noexcept = default;
SymmetricInverse::~SymmetricInverse() = default;

bool SymmetricInverse::has_too_many_dependent_rows() const {
  return factor_->dependent_row().has_value();
}

std::optional<std::vector<double>> SymmetricInverse::column(std::int64_t column) const {
  const Factor& f = *factor_;
  if (f.is_kept[static_cast<std::size_t>(column)] == 0 || f.dependent_row()) return {};
  Eigen::VectorXd unit = Eigen::VectorXd::Zero(f.scale.size());
  unit[column] = 1;
  const Eigen::VectorXd solved = f.ldlt.solve(unit);
  const double most = LargestMiss + Rounding * solved.lpNorm<Eigen::Infinity>();
  const Eigen::VectorXd product = f.matrix * solved;
  for (Eigen::Index row = 0; row < product.size(); ++row)
    if (f.is_kept[static_cast<std::size_t>(row)] == 0 && !(std::abs(product[row]) <= most))
      return {};
  const Eigen::VectorXd result = f.scale[column] * f.scale.cwiseProduct(solved);
  return std::vector<double>(result.begin(), result.end());
}

}  // namespace thallo
