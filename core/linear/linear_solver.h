// A linear solver takes (JtJ + D) x = b of one step, D = 0 in Gauss-Newton. It says in which form
// it wants JtJ, from which it follows what a program computes for it:
//
//   None    no matrix: this is pcg, a loop whose kernels are generated with the program
//   Dense   JtJ as a full matrix
//   Csr     JtJ as a sparse matrix
//
// Solvers that take a matrix factor it on the host, whatever backend has computed it (cuda solves
// small dense systems itself). They are kept in a registry, so that plugins can add others; the
// names are the values of the option linear_solver. pcg, dense and sparse_cholesky are Thallo's
// own.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string_view>

#include "core/base/registry.h"

namespace thallo {

enum class MatrixForm { None, Dense, Csr };

// Where the entries of a symmetric matrix are. Csr: both triangles, columns ascending in each row,
// the diagonal always there. Dense: no offsets and columns; all n x n entries, row by row.
struct MatrixPattern {
  std::int64_t n = 0;
  std::span<const std::int32_t> offsets;  // n + 1
  std::span<const std::int32_t> columns;
};

// What the Cholesky factor of a pattern takes, known before any number is (symbolic_factor.h).
struct FactorSize {
  double entries = 0;  // of the factor's triangle, the diagonal among them
  double flops = 0;    // of a factorization, a multiplication and an addition being two
};

// Factors matrices of one pattern, one after the other. The matrices are scaled to unit diagonal
// and have no damping or excluded rows to be cared for: direct_solve.h has done that.
class Factorization {
 public:
  virtual ~Factorization() = default;
  // Returns false when the matrix is not positive definite. `values` are valid during the call.
  virtual bool factorize(std::span<const double> values) = 0;
  // Replaces the right-hand side by the solution, with the matrix that was factored last.
  virtual void solve(std::span<double> x) = 0;
};

// Stateless.
class LinearSolver {
 public:
  virtual ~LinearSolver() = default;

  virtual std::string_view name() const = 0;  // as typed: "sparse_cholesky"
  virtual std::string_view doc() const = 0;   // what it is and what it is for, a few words
  virtual MatrixForm form() const = 0;
  // With more unknown scalars it is refused.
  virtual std::int64_t max_unknowns() const { return std::numeric_limits<std::int32_t>::max(); }
  // Looks at the pattern, once for each bound instance. The pattern outlives the result and has
  // rows. Never called for MatrixForm::None.
  virtual std::unique_ptr<Factorization> analyze(const MatrixPattern& pattern) const = 0;
  // What a factorization into a factor of that size is expected to take on one core, where it is
  // chosen which solver is used (core/problem/choose_linear_solver.h). Called for MatrixForm::Csr
  // only; a solver that does not say is used by those alone who name it.
  virtual double expected_seconds(const FactorSize&) const {
    return std::numeric_limits<double>::infinity();
  }

  bool is_direct() const { return form() != MatrixForm::None; }
};

// The dense solver forms JtJ as a full matrix; more unknown scalars than this are refused.
inline constexpr int MaxDenseUnknowns = 512;

using LinearSolverRegistry = Registry<LinearSolver>;

// Thallo's own; never null.
const LinearSolver* pcg_solver();
const LinearSolver* dense_solver();
const LinearSolver* sparse_cholesky_solver();
// Adds them to a registry, as a program does into which plugins are loaded.
void add_linear_solvers(LinearSolverRegistry& registry);
// A registry of them alone.
const LinearSolverRegistry& own_linear_solvers();

}  // namespace thallo
