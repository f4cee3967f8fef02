#include "core/solve/start_state.h"

#include "core/kernel/program.h"

namespace thallo {

SolverState start_state(const SolverOptions& options) {
  const bool damped = options.solver == SolverKind::LevenbergMarquardt;
  SolverState state{};
  at(state, StateSlot::MaxLinearIterations) = options.num_linear_iterations;
  at(state, StateSlot::QTolerance) = damped ? options.q_tolerance : 0;
  at(state, StateSlot::ResidualTolerance) = options.residual_tolerance;
  at(state, StateSlot::ResetPeriod) = reset_period(options);
  at(state, StateSlot::Radius) = options.trust_region_radius;
  at(state, StateSlot::MinDiagonal) = options.min_lm_diagonal;
  at(state, StateSlot::MaxDiagonal) = options.max_lm_diagonal;
  return state;
}

int reset_period(const SolverOptions& options) {
  return options.solver == SolverKind::LevenbergMarquardt ? options.residual_reset_period : 0;
}

}  // namespace thallo
