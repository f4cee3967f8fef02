// What the loop of a solve knows of the program whose phases it runs.
#pragma once

#include "core/kernel/state.h"

namespace thallo {

struct ProgramTraits {
  // True if the linear solver takes a matrix, and if there is a loop of a linear solver that
  // iterates. With both, the loop finds the first steps.
  bool solves_directly = false;
  bool has_linear_loop = true;
  bool resets_residual = false;  // true if the loop can compute its residual anew
  bool has_members = false;      // true if it is of a batch
  bool has_bounds = false;       // true if the solve keeps unknowns within bounds
  bool has_double_b = true;      // true if b, that is residuals, are computed in double
  bool has_double_r = true;      // true if the vectors of the loop are in double
  // What steps minimize, if that is known (KernelProgram).
  StateSlot minimized_cost = StateSlot::Cost;
  bool knows_minimized_cost = true;
};

}  // namespace thallo
