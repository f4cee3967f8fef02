#include "core/solve/descent_rules.h"

namespace thallo {

DescentRules rules_of(const ProgramTraits& program, const IterationOptions& asked,
                      const IterationOptions& suited) {
  return {.program = program,
          .is_damped = suited.solver == SolverKind::LevenbergMarquardt,
          .keeps_best_point = asked.keeps_best_point() && program.knows_minimized_cost,
          .has_test = asked.has_test(),
          .gradient_tolerance = asked.gradient_tolerance,
          .parameter_tolerance = asked.parameter_tolerance,
          .max_step_halvings = suited.max_step_halvings,
          .max_step_lengthening = suited.max_step_lengthening,
          .min_relative_decrease = suited.min_relative_decrease,
          .linear_tolerances = linear_tolerances(suited, program.has_double_r)};
}

}  // namespace thallo
