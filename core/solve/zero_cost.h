// The test whether a cost is zero as far as rounding lets anyone tell: a fit without noise ends
// there. Relative changes of such a cost say nothing: every step changes it by much of itself.
#pragma once

#include "core/backend/backend.h"
#include "core/kernel/state.h"

namespace thallo {

// A residual that should be zero is about as large as rounding makes the terms that cancel in it.
// How large these are is known of what X moves, X.d X, and of the residuals at the start.
class ZeroCost {
 public:
  // The executable's b says in which precision residuals are computed.
  explicit ZeroCost(const Executable& executable);

  // `first_cost` is that at the start of the solve, or when the data changed last; `state` that
  // after the last Retract, zero before the first.
  bool is_reached_by(double cost, double first_cost, const SolverState& state) const;

 private:
  double rounding_;  // of a number, relative to it
};

}  // namespace thallo
