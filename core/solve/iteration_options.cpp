#include "core/solve/iteration_options.h"

namespace thallo {

bool IterationOptions::has_test() const {
  return effective_function_tolerance().value_or(0) > 0 || gradient_tolerance > 0 ||
         parameter_tolerance > 0;
}

bool IterationOptions::keeps_best_point() const {
  return solver == SolverKind::GaussNewton && max_step_halvings == 0 && has_test();
}

bool IterationOptions::pcg_has_test() const {
  const bool damped = solver == SolverKind::LevenbergMarquardt;
  return (damped && q_tolerance > 0) || residual_tolerance > 0;
}

std::optional<double> IterationOptions::effective_function_tolerance() const {
  if (function_tolerance) return function_tolerance;
  if (solver == SolverKind::LevenbergMarquardt) return 1e-6;
  return std::nullopt;
}

}  // namespace thallo
