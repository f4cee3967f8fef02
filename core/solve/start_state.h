// Makes the solver state and the summary at the start of a solve, according to the options.
#pragma once

#include "core/kernel/state.h"
#include "core/solve/options.h"
#include "core/solve/summary.h"

namespace thallo {

// Sets all slots that the host writes; the others are zero. `vectors` is the type of PCG's.
SolverState start_state(const SolverOptions& options, ScalarType vectors = ScalarType::Double);

// Returns the options that a solve of the program follows. Where its costs do not tell which of two
// steps is the better one, steps are taken as they are.
SolverOptions suited_options(const KernelProgram& program, const SolverOptions& options);

// Sets what is known before the first iteration; the rest is empty.
SolverSummary start_summary(const KernelProgram& program, const SolverOptions& options);

// Writes the tolerances of PCG, multiplied by `factor`.
void set_linear_tolerances(const SolverOptions& options, double factor, ScalarType vectors,
                           SolverState& state);

// Returns the number of linear iterations of the program between residual resets; 0 = never.
int reset_period(const SolverOptions& options, const KernelProgram& program);

}  // namespace thallo
