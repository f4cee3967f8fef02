// The record of one nonlinear iteration.
#pragma once

namespace thallo {

// One nonlinear iteration. Record 0 is the start and has only the cost, the radius (LM) and the
// time. Costs are 1/2 sum r^2, or 1/2 sum rho(|r|^2) for residuals with a robust loss.
struct IterationRecord {
  int iteration = 0;
  double cost = 0;               // at X after the iteration
  double cost_change = 0;        // cost before - cost of the trial point; > 0 is better
  double gradient_max = 0;       // max |JtF| at X before the iteration (the gradient is not
                                 // computed at a point that no further step starts from)
  double step_norm = 0;          // |delta|
  double relative_decrease = 0;  // rho = cost change / model decrease
  double radius = 0;             // LM: the radius this step was damped with
  int linear_iterations = 0;     // of PCG; 1 for the dense solver
  int failed_blocks = 0;         // preconditioner blocks that fell back to their diagonal
  bool accepted = true;
  bool loose = false;        // found by PCG before a direct solver finds the others
  double seconds = 0;        // of this iteration
  double total_seconds = 0;  // since the solve began
};

}  // namespace thallo
