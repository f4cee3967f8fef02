#pragma once

// The time of a whole solve, with all tests for stopping switched off, so that solves of different
// schedules do the same iterations.

#include <stop_token>
#include <vector>

#include "core/backend/backend.h"
#include "core/solve/solver.h"

namespace thallo {

struct TimedSolve {
  double nonlinear_seconds = 0;  // of an iteration
  double linear_seconds = 0;     // of a linear iteration
  double linear_iterations = 0;  // of an iteration
  std::vector<IterationRecord> iterations;
};

// Solves with a bound executable. When `stop` is requested, the solve ends early.
Expected<TimedSolve> time_solve(Executable& executable, const SolverOptions& options,
                                const std::stop_token& stop);

}  // namespace thallo
