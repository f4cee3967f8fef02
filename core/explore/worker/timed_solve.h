#pragma once

// Times a whole solve. All stopping tests are switched off, so that solves of different schedules
// do the same number of iterations.

#include <stop_token>
#include <vector>

#include "core/backend/backend.h"
#include "core/solve/solver.h"

namespace thallo {

struct TimedSolve {
  double nonlinear_seconds = 0;  // per nonlinear iteration
  double linear_seconds = 0;     // per linear iteration
  double linear_iterations = 0;  // per nonlinear iteration
  std::vector<IterationRecord> iterations;
};

// Solves with a bound executable. When `stop` is requested, the solve ends early.
Expected<TimedSolve> time_solve(Executable& executable, const SolverOptions& options,
                                const std::stop_token& stop);

}  // namespace thallo
