// The solver state at the start of a solve, as the options ask for it.
#pragma once

#include "core/kernel/state.h"
#include "core/solve/options.h"

namespace thallo {

// All slots that the host writes; the others are zero.
SolverState start_state(const SolverOptions& options);

// Writes the tolerances of PCG, multiplied by `factor`.
void set_linear_tolerances(const SolverOptions& options, double factor, SolverState& state);

// Linear iterations from one residual reset to the next; 0 = never.
int reset_period(const SolverOptions& options);

}  // namespace thallo
