// Columns of the inverse of a sparse symmetric matrix, such as a covariance needs.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/base/sparse_matrix.h"

namespace thallo {

class SymmetricInverse {
 public:
  // Factors a positive semidefinite matrix, of which both triangles are given, scaled to unit
  // diagonal. Takes as much memory as sparse_cholesky.
  explicit SymmetricInverse(const SparseMatrix& matrix);
  SymmetricInverse(SymmetricInverse&&) noexcept;
  ~SymmetricInverse();

  // Returns a row that depends linearly on others, up to rounding: the inverse does not exist then.
  std::optional<std::int64_t> dependent_row() const;
  // Returns a column of the inverse. There must be no dependent row.
  std::vector<double> column(std::int64_t column) const;

 private:
  struct Factor;
  std::unique_ptr<Factor> factor_;
};

}  // namespace thallo
