// The linear systems of a solve before one of them is formed: what a linear solver asks for to say
// whether it suits them, and what a step takes with it (LinearSolver::outlook).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "core/base/diagnostic.h"

namespace thallo {

class LinearSolver;

// The size of the Cholesky factor of a pattern, known before any number is (symbolic_factor.h).
struct FactorSize {
  double entries = 0;         // of the factor's triangle, including the diagonal
  double flops = 0;           // of a factorization; a multiply-add counts as two
  double matrix_entries = 0;  // of the matrix itself, in both triangles
};

// Unknown scalars, those that would be eliminated and the others.
struct EliminatedUnknowns {
  std::int64_t eliminated = 0, kept = 0;
  std::string space;  // the name of an unknown that would be eliminated
};

// Nonlinear steps that conjugate gradients find.
struct IteratedSteps {
  double linear_iterations = 0;  // of a step
  double steps = 1;              // in those that exact solutions need
};

// What takes time to find out is found out when it is asked for first, and then known.
class LinearCase {
 public:
  virtual ~LinearCase() = default;

  virtual std::int64_t num_unknowns() const = 0;
  // True if the systems are damped (Levenberg-Marquardt); others may be singular.
  virtual bool is_damped() const = 0;
  // True if all unknowns are poses.
  virtual bool are_all_poses() const = 0;
  // True if a space of unknowns can be eliminated: none of its elements meet in a residual.
  virtual bool can_eliminate() const = 0;
  // Returns the most unknown scalars that a residual reads.
  virtual std::size_t most_read() const = 0;
  // True if residuals are weighted anew at each step, as those of a robust loss are, so that
  // weights may be orders of magnitude apart.
  virtual bool varies_weights() const = 0;
  // The iterations that a step may have.
  virtual int max_linear_iterations() const = 0;
  // Returns how many iterations conjugate gradients with the diagonal of JtJ are expected to take
  // until a step is good.
  virtual double diagonal_iterations() const = 0;
  // Returns what conjugate gradients are expected to take with the preconditioner that is asked
  // about, if nothing ends them before a step is good.
  virtual IteratedSteps iterated() const = 0;
  // Returns what that solver would eliminate. Fails if it eliminates nothing here, with the
  // accesses or the unknowns that stand in the way.
  virtual Expected<EliminatedUnknowns> elimination(const LinearSolver& solver) const = 0;
  // Fails if kernels that form JtJ would be very long, with the reason.
  virtual Expected<void> check_matrix() const = 0;
  // Returns the size of the factor of JtJ. Fails if it is not worth looking for, with the reason.
  virtual Expected<FactorSize> factor() const = 0;
  // The same for the Schur complement of what that solver would eliminate.
  virtual Expected<FactorSize> kept_factor(const LinearSolver& solver) const = 0;
};

// What a linear solver expects.
struct LinearOutlook {
  std::string reason;            // what it depends on; "the factor of JtJ has 2.3e+05 entries"
  double steps = 1;              // nonlinear ones, in those that exact solutions need
  double linear_iterations = 0;  // of a step
  double host_seconds = 0;       // of a step, beside the kernels of the program
  bool settles = false;          // True if it is so quick that no other needs a look.
};

}  // namespace thallo
