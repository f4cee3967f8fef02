// A whole solve, from the start to its end, as exported solvers make it.
#pragma once

#include <functional>

#include "core/backend/phase_runner.h"
#include "core/solve/iteration_options.h"
#include "core/solve/iteration_record.h"
#include "core/solve/program_traits.h"
#include "core/solve/termination.h"

namespace thallo {

struct WholeSolve {
  double initial_cost = 0, final_cost = 0;
  int num_iterations = 0;  // accepted and rejected
  int num_accepted = 0;
  long long num_linear_iterations = 0;
  double seconds = 0;
  Termination termination = Termination::NonFiniteStart;
};

// Minimizes from the current unknowns. `callback`, which may be empty, is called with the record of
// the start and with each iteration's; it returns false to end the solve.
WholeSolve solve_whole(PhaseRunner& runner, const ProgramTraits& program,
                       const IterationOptions& options,
                       const std::function<bool(const IterationRecord&)>& callback);

}  // namespace thallo
