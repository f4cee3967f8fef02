// Columns of the inverse of a sparse symmetric matrix, such as a covariance needs.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/base/sparse_matrix.h"

namespace thallo {

// The matrix may be singular. Then the rows that depend on others are left out, and of the inverse
// there are the columns that this does not change: those of unit vectors in the matrix's range.
class SymmetricInverse {
 public:
  // Factors a positive semidefinite matrix, of which both triangles are given, scaled to unit
  // diagonal. Takes as much memory as sparse_cholesky, and its time once more for each row that
  // depends on others and is not empty.
  explicit SymmetricInverse(const SparseMatrix& matrix);
  SymmetricInverse(SymmetricInverse&&) noexcept;
  ~SymmetricInverse();

  // True if more rows depend on others than are left out; no column is known then.
  bool has_too_many_dependent_rows() const;
  // Returns a column of the inverse; absent if the matrix does not determine it.
  std::optional<std::vector<double>> column(std::int64_t column) const;

 private:
  struct Factor;
  std::unique_ptr<Factor> factor_;
};

}  // namespace thallo
