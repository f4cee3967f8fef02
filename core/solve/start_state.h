// Makes the solver state at the start of a solve, according to the options.
#pragma once

#include "core/kernel/state.h"
#include "core/solve/iteration_options.h"
#include "core/solve/program_traits.h"

namespace thallo {

// The tolerances of PCG.
struct LinearTolerances {
  double q = 0, residual = 0;
  double least_residual = 0;  // what no iteration gets below

  // Hands them to PCG, multiplied by `factor`.
  void write(double factor, SolverState& state) const {
    const double scaled = factor * residual;
    at(state, StateSlot::QTolerance) = factor * q;
    at(state, StateSlot::ResidualTolerance) = scaled < least_residual ? least_residual : scaled;
  }
};

// Sets all slots that the host writes; the others are zero.
SolverState start_state(const IterationOptions& options, bool has_double_r = true);

// Returns the options that a solve of the program follows. Where its costs do not tell which of two
// steps is the better one, steps are taken as they are.
IterationOptions suited_options(const ProgramTraits& program, const IterationOptions& options);

LinearTolerances linear_tolerances(const IterationOptions& options, bool has_double_r);

// Returns the number of linear iterations of the program between residual resets; 0 = never.
int reset_period(const IterationOptions& options, const ProgramTraits& program);

}  // namespace thallo
