#include "core/solve/start_state.h"

#include <algorithm>

namespace thallo {
namespace {

// Where |r| is this small beside |b| rounding is all that later iterations of PCG would still find;
// in float they would go on until r underflows and the step is no number.
constexpr double SmallestResidual = 1e-15;
// In float that is so much earlier. What rounding leaves then lies in directions that residuals do
// not hold, along which it makes long steps; published solves make their iterations all the same.
constexpr double SmallestResidualInFloat = 1e-6;

}  // namespace

LinearTolerances linear_tolerances(const IterationOptions& options, bool has_double_r) {
  const bool damped = options.solver == SolverKind::LevenbergMarquardt;
  const bool is_float_enough = options.has_test() && !damped && !has_double_r;
  return {.q = damped ? options.q_tolerance : 0,
          .residual = options.residual_tolerance,
          .least_residual = is_float_enough ? SmallestResidualInFloat : SmallestResidual};
}

SolverState start_state(const IterationOptions& options, bool has_double_r) {
  SolverState state{};
  at(state, StateSlot::MaxLinearIterations) = options.num_linear_iterations;
  linear_tolerances(options, has_double_r).write(1, state);
  at(state, StateSlot::ResetPeriod) =
      options.solver == SolverKind::LevenbergMarquardt ? options.residual_reset_period : 0;
  at(state, StateSlot::Radius) = options.trust_region_radius;
  at(state, StateSlot::StepFactor) = 1;
  at(state, StateSlot::MinDiagonal) = options.min_lm_diagonal;
  at(state, StateSlot::MaxDiagonal) = options.max_lm_diagonal;
  at(state, StateSlot::Work) = static_cast<double>(MemberWork::Linearization);
  at(state, StateSlot::Chosen) = 1;
  return state;
}

IterationOptions suited_options(const ProgramTraits& program, const IterationOptions& options) {
  IterationOptions suited = options;
  if (program.solves_directly)
    suited.num_linear_iterations =
        std::min(suited.num_linear_iterations, suited.loose_iterations.value_or(0));
  if (program.knows_minimized_cost) return suited;
  suited.max_step_halvings = 0;
  suited.max_step_lengthening = 1;
  return suited;
}

int reset_period(const IterationOptions& options, const ProgramTraits& program) {
  return program.resets_residual ? options.residual_reset_period : 0;
}

}  // namespace thallo
