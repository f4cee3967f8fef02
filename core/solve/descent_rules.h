// What the descents of a solve follow: the options of the user, those that suit the program, and
// what the loop knows of the iteration. Numbers alone, so that a device can follow them too.
#pragma once

#include <optional>

#include "core/kernel/phase.h"
#include "core/solve/iteration_options.h"
#include "core/solve/program_traits.h"
#include "core/solve/start_state.h"
#include "core/solve/termination.h"

namespace thallo {

struct DescentRules {
  ProgramTraits program;
  bool is_damped = false;          // Levenberg-Marquardt
  bool keeps_best_point = false;   // as asked
  bool has_test = false;           // as asked: IterationOptions::has_test()
  double gradient_tolerance = 0;   // as asked
  double parameter_tolerance = 0;  // as asked
  int max_step_halvings = 0;
  double max_step_lengthening = 1;
  double min_relative_decrease = 0;
  LinearTolerances linear_tolerances;

  // Of the iteration: whether anything solves for its step, whether directly, and whether that is
  // done loosely (step_solver.h).
  bool solves = true, solves_directly = false, is_loose = false;
  // Why to stop although there is work left.
  bool is_interrupted = false;
  Termination interruption = Termination::Cancelled;
};

// `asked` are as the user chose them, `suited` those of suited_options().
DescentRules rules_of(const ProgramTraits& program, const IterationOptions& asked,
                      const IterationOptions& suited);

}  // namespace thallo
