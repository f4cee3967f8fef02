// What a linear solver that takes a matrix makes of it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

namespace thallo {

enum class MatrixForm { None, Dense, Csr };

// The places of the entries of a symmetric matrix. Csr: both triangles, columns ascending in each
// row, always including the diagonal. Dense: no offsets and columns; all n x n entries, row by row.
struct MatrixPattern {
  std::int64_t n = 0;
  std::span<const std::int32_t> offsets;  // n + 1
  std::span<const std::int32_t> columns;
};

// Factors matrices of one pattern, one after the other, or iterates with them. The matrices are
// scaled to unit diagonal; damping and excluded rows are already applied (direct_solve.h).
class Factorization {
 public:
  virtual ~Factorization() = default;
  // Returns false if the matrix is not positive definite. `values` are valid during the call only.
  virtual bool factorize(std::span<const double> values) = 0;
  // Replaces the right-hand side by the solution, for the matrix that was factored last.
  virtual void solve(std::span<double> x) = 0;
  // Returns the iterations of the last solve; 1 if it does not iterate.
  virtual std::int64_t num_iterations() const { return 1; }
};

// A linear solver, as far as it takes matrices.
class MatrixSolver {
 public:
  virtual ~MatrixSolver() = default;
  virtual MatrixForm form() const = 0;
  // Analyzes the pattern, once for each bound instance. The pattern outlives the result and has at
  // least one row. Never called for MatrixForm::None.
  virtual std::unique_ptr<Factorization> analyze(const MatrixPattern& pattern) const = 0;
};

}  // namespace thallo
