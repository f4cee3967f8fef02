#pragma once

#include <cstddef>

namespace thallo {

enum class SolverKind { GaussNewton, LevenbergMarquardt };

// The steps of a solver, which a program has kernels for.
enum class Phase {
  Setup,           // masks, X into its bounds, once per solve
  Values,          // stored intermediates at X
  TrialValues,     // ... at the trial point
  Cost,            // cost at X -> state.Cost
  TrialCost,       // cost at the trial point -> state.Cost
  Linearize,       // JtF -> b, d, preconditioner blocks, JtJ of a direct solver
  SaveScale,       // s = (l + sqrt d)^2 of the first linearization
  Damp,            // starts a linear solve: D, preconditioner, x, r, r.z; with both a linear loop
                   // and a direct solve, what only the loop needs is gated on Stop == 0
  Direction,       // p = z + beta p, Ap = D.p
  Apply,           // Ap += JtJ p, state.PAp += p.JtJ p
  Update,          // alpha, x, r, z, r.z, Q, the stopping test
  ResetDirection,  // residual reset, after x was updated: Ap = D.x
  ResetApply,      // Ap += JtJ x
  ResetUpdate,     // r = b - Ap, z, r.z, Q, the stopping test
  DirectSolve,     // x = (JtJ + D)^-1 b, r = 0, once a Schur complement is formed
  Retract,         // trial = X (+) x, model decrease, norms
  Accept,          // X = trial
  GroupSums,       // sums over the residual group that state.Group names, at X
  Keep,            // kept = X
  GoBack,          // X = kept
  // Stores keep phases by their number: another one comes last.
};
inline constexpr std::size_t NumPhases = static_cast<std::size_t>(Phase::GoBack) + 1;

}  // namespace thallo
