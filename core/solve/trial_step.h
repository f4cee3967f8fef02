// A step that was tried, as the solver state tells of it.
#pragma once

#include "core/kernel/state.h"
#include "core/solve/iteration_record.h"
#include "core/solve/program_traits.h"

namespace thallo {

struct TrialStep {
  double cost = 0;               // what steps minimize, at the trial point
  double energy_cost = 0;        // 1/2 sum rho there: the same, but where norms are reweighted
  double cost_change = 0;        // cost before the step - cost at the trial point
  double relative_decrease = 0;  // cost_change over what the model promised
  double norm = 0;               // of the step
  double promised = 0;           // the decrease that the model promised
  double damped_norm2 = 0;  // delta.D delta, about `promised` where damping made the step short
  double radius = 0;        // of the trust region
  bool solved_directly = false;  // true if its linear system is, which leaves nothing unsolved
  bool is_cut = false;           // true if bounds have made it shorter

  // `state` is that after TrialCost. If the step or its cost is not finite, the norm is infinite,
  // and cost_change and relative_decrease are minus infinity.
  static TrialStep of(const SolverState& state, const ProgramTraits& program, double cost_before,
                      bool solved_directly);

  bool is_finite() const;
  // True if the cost changed as the model promised, within rounding and higher orders: of what it
  // promised, and of the cost that is left, since a step to a thousandth of the cost says little of
  // what the next one finds.
  bool is_exact() const;
  // Returns about how many times what it promised the model would promise without damping, from
  // the share of the damping in it; at least 1, and 1 if the model is not exact. With residuals
  // that outweigh others by far, as constraints do, damping makes steps along them so short that
  // neither the cost nor the unknowns seem to change.
  double shortened_by() const;
};

// What the state tells of a step and the linear solve that found it, as a record; the solver adds
// the rest.
IterationRecord record_of(const TrialStep& step, const SolverState& state);

}  // namespace thallo
