// A linear solver solves (JtJ + D) x = b for one step; D = 0 in Gauss-Newton. It declares the form
// in which it takes JtJ, which determines what a program computes for it:
//
//   None    no matrix: it iterates with products JtJ p, in kernels of the program
//   Dense   JtJ as a full matrix
//   Csr     JtJ as a sparse matrix
//
// Solvers that take a matrix factor it on the host, whatever backend has computed it (cuda solves
// small dense systems itself). The kernels of a solver that iterates are those of conjugate
// gradients, unless it changes them (core/kernel/linear_loop_lowering.h). All are in a registry, so
// that plugins can add others; their names are the values of the option linear_solver. pcg,
// schur_pcg, dense, schur_cholesky, sparse_cholesky and schur_sparse_cholesky are built in.
#pragma once

#include <limits>
#include <memory>
#include <string_view>

#include "core/base/registry.h"
#include "core/linear/factorization.h"
#include "core/linear/linear_case.h"

namespace thallo {

// Stateless.
class LinearSolver : public MatrixSolver {
 public:
  virtual std::string_view name() const = 0;  // as typed: "sparse_cholesky"
  virtual std::string_view doc() const = 0;   // what it is and what it is for, in a few words
  // Problems with more unknown scalars are refused; if it eliminates some, with more others.
  virtual std::int64_t max_unknowns() const { return std::numeric_limits<std::int32_t>::max(); }
  // Solvers of other forms than MatrixForm::None override it.
  std::unique_ptr<Factorization> analyze(const MatrixPattern& pattern) const override;
  // Returns what a step is expected to take with it, to choose among solvers
  // (core/problem/choose_linear_solver.h). Fails if it does not suit the case, with what stands in
  // the way. By default a solver that takes a sparse matrix suits where there is a factor; others
  // are used only if they are named.
  virtual Expected<LinearOutlook> outlook(const LinearCase& the_case) const;
  // Returns the expected seconds of a factorization with a factor of that size, or of a solve, on
  // one core, for outlook(). Called for Csr only. A solver without an estimate is used only if it
  // is named.
  virtual double expected_seconds(const FactorSize&) const {
    return std::numeric_limits<double>::infinity();
  }

  // True if it solves what is left once a space of unknowns is eliminated
  // (core/kernel/elimination.h). If it also takes a matrix, that is the Schur complement.
  virtual bool eliminates() const { return false; }

  // True if it takes a matrix; else it iterates.
  bool is_direct() const { return form() != MatrixForm::None; }
};

// The dense solver forms JtJ as a full matrix; problems with more unknown scalars than this are
// refused.
inline constexpr int MaxDenseUnknowns = 512;
// So does a solver of the Schur complement, in which the unknowns are that are kept: it takes 3 GB
// in double, and as much beside it for its factor.
inline constexpr int MaxKeptUnknowns = 20'000;

using LinearSolverRegistry = Registry<LinearSolver>;

// Thallo's own solvers; never null.
const LinearSolver* pcg_solver();
const LinearSolver* schur_pcg_solver();
const LinearSolver* dense_solver();
const LinearSolver* schur_cholesky_solver();
const LinearSolver* sparse_cholesky_solver();
// Adds them to a registry, into which a program may also load plugins.
void add_linear_solvers(LinearSolverRegistry& registry);
// A registry that contains only them.
const LinearSolverRegistry& own_linear_solvers();

}  // namespace thallo
