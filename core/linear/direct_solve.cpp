#include "core/linear/direct_solve.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace thallo {
namespace {

constexpr std::size_t Absent = std::numeric_limits<std::size_t>::max();

std::size_t index(std::int32_t i) { return static_cast<std::size_t>(i); }

}  // namespace

DirectSolve::DirectSolve(const MatrixSolver& solver, const MatrixPattern& pattern)
    : n_(static_cast<std::size_t>(pattern.n)), is_csr_(solver.form() == MatrixForm::Csr) {
  scale_.resize(n_);
  if (is_csr_) {
    add_diagonals(pattern);
  } else {
    for (std::size_t i = 0; i < n_; ++i) diagonal_.push_back(i * n_ + i);
    values_.resize(n_ * n_);
  }
  if (n_ > 0)
    factorization_ = solver.analyze({.n = pattern.n, .offsets = offsets_, .columns = columns_});
}

// Unknowns that occur in no residual have no entry on the diagonal.
void DirectSolve::add_diagonals(const MatrixPattern& pattern) {
  diagonal_.assign(n_, Absent);
  offsets_.push_back(0);
  for (std::size_t row = 0; row < n_; ++row) {
    const auto diagonal = static_cast<std::int32_t>(row);
    bool has_diagonal = false;
    const auto add = [&](std::int32_t column, std::int32_t source) {
      columns_.push_back(column);
      source_.push_back(source);
    };
    for (std::int32_t k = pattern.offsets[row]; k < pattern.offsets[row + 1]; ++k) {
      const std::int32_t column = pattern.columns[index(k)];
      if (column >= diagonal && !has_diagonal) {
        if (column > diagonal) add(diagonal, -1);
        if (column == diagonal) diagonal_[row] = index(k);
        has_diagonal = true;
      }
      add(column, k);
    }
    if (!has_diagonal) add(diagonal, -1);
    offsets_.push_back(static_cast<std::int32_t>(columns_.size()));
  }
  values_.resize(columns_.size());
}

void DirectSolve::scale(const System& system) {
  for (std::size_t i = 0; i < n_; ++i) {
    double diagonal = diagonal_[i] == Absent ? 0 : system.matrix[diagonal_[i]];
    if (!system.damping.empty()) diagonal += system.damping[i];
    const bool is_identity = system.free[i] == 0 || diagonal == 0;
    scale_[i] = is_identity ? 0 : 1 / std::sqrt(diagonal);
  }
}

// Of an entry off the diagonal. What is in a row of the identity does not matter, even if it is not
// finite.
double DirectSolve::scaled(double entry, std::size_t i, std::size_t j) const {
  return scale_[i] == 0 || scale_[j] == 0 ? 0 : scale_[i] * entry * scale_[j];
}

void DirectSolve::fill_dense(const System& system) {
  for (std::size_t i = 0; i < n_; ++i) {
    for (std::size_t j = 0; j < n_; ++j)
      values_[i * n_ + j] = i == j ? 1 : scaled(system.matrix[i * n_ + j], i, j);
  }
}

void DirectSolve::fill_csr(const System& system) {
  for (std::size_t i = 0; i < n_; ++i) {
    for (std::size_t k = index(offsets_[i]); k < index(offsets_[i + 1]); ++k) {
      const std::size_t j = index(columns_[k]);
      values_[k] = i == j ? 1 : scaled(system.matrix[index(source_[k])], i, j);
    }
  }
}

std::vector<double> DirectSolve::solve(const System& system) {
  std::vector<double> x(n_, 0.0);
  has_failed_ = false;
  if (n_ == 0) return x;
  scale(system);
  is_csr_ ? fill_csr(system) : fill_dense(system);
  // The square root of a negative diagonal entry is NaN.
  const auto is_finite = [](double value) { return std::isfinite(value); };
  has_failed_ = !std::ranges::all_of(values_, is_finite) || !std::ranges::all_of(scale_, is_finite);
  if (has_failed_) return x;
  has_failed_ = !factorization_->factorize(values_);
  if (has_failed_) return x;
  for (std::size_t i = 0; i < n_; ++i) x[i] = scale_[i] * system.b[i];
  factorization_->solve(x);
  for (std::size_t i = 0; i < n_; ++i) x[i] *= scale_[i];
  return x;
}

}  // namespace thallo
