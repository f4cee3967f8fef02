#pragma once

// How an iterative linear solver changes the linear loop of a program. A LinearSolver of
// MatrixForm::None (core/linear/linear_solver.h) iterates with products JtJ p: under every
// schedule, the kernels of the parts add these to Ap in Phase::Apply. Lowering makes the kernels
// around them, in the phases Direction, Update, ResetDirection and ResetUpdate, for conjugate
// gradients (docs/algorithms.md, "The linear solve"). A solver that is also a LinearLoopLowering
// is then handed the program and may replace the statements of these kernels, which run on every
// backend.

#include "core/kernel/program.h"

namespace thallo {

class LinearLoopLowering {
 public:
  virtual ~LinearLoopLowering();

  // `program.graph` makes new expressions. core/kernel/state.h lists the scalars of the loop,
  // core/kernel/solver_vector.h its vectors. The loop counts StateSlot::LinearIteration and ends
  // when StateSlot::Stop is set. Buffers and fields may be added.
  virtual void lower(KernelProgram& program) const = 0;
};

}  // namespace thallo
