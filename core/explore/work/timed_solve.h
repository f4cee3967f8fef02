#pragma once

// The time of a whole solve. PCG's tests are switched off, so that the steps of different schedules
// do the same iterations. Of the tests between steps those stay that the options set.

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
