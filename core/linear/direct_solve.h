// A direct solve on the host, for one bound instance.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/linear/factorization.h"

namespace thallo {

// Solves (matrix + diag(damping)) x = b with a linear solver that takes a matrix. Rows and columns
// with free[i] == 0, and those whose damped diagonal entry is 0, are replaced by the identity with
// right-hand side 0. The system is scaled to unit diagonal before it is factored, all in double.
class DirectSolve {
 public:
  // The matrix is symmetric. If the solver takes Csr, the pattern has both triangles, columns
  // ascending in each row, with or without entries on the diagonal. Otherwise there are no offsets
  // and columns.
  DirectSolve(const MatrixSolver& solver, const MatrixPattern& pattern);
  DirectSolve(const DirectSolve&) = delete;
  DirectSolve& operator=(const DirectSolve&) = delete;

  struct System {
    std::span<const double> matrix;   // values in the order of the pattern
    std::span<const double> damping;  // empty: no damping
    std::span<const double> free, b;
  };
  // Returns x = 0 if the system is not positive definite or not finite.
  std::vector<double> solve(const System& system);
  // True if that was so of the system that was solved last.
  bool has_failed() const { return has_failed_; }
  // The iterations of the last solve; 1 if the solver does not iterate.
  std::int64_t num_iterations() const {
    return n_ == 0 || has_failed_ ? 1 : factorization_->num_iterations();
  }

 private:
  void add_diagonals(const MatrixPattern& pattern);
  void scale(const System& system);
  double scaled(double entry, std::size_t i, std::size_t j) const;
  void fill_dense(const System& system);
  void fill_csr(const System& system);

  std::size_t n_;
  bool is_csr_;
  // Csr: the given pattern with the whole diagonal added
  std::vector<std::int32_t> offsets_, columns_;
  std::vector<std::int32_t> source_;   // Csr: the entry of the given pattern, or -1
  std::vector<std::size_t> diagonal_;  // position among the given values, or `Absent`
  std::vector<double> values_;         // of the scaled system
  std::vector<double> scale_;          // 0 in rows of the identity
  bool has_failed_ = false;
  std::unique_ptr<Factorization> factorization_;
};

}  // namespace thallo
