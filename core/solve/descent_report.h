// What a solve has come to for one descent.
#pragma once

#include <string>

#include "core/solve/termination.h"

namespace thallo {

struct DescentReport {
  double initial_cost = 0, final_cost = 0;                      // 1/2 sum rho
  double initial_minimized_cost = 0, final_minimized_cost = 0;  // what steps minimize
  // With NoDecrease, what the model promised of the step that was refused.
  double refused_decrease = 0;
  double gradient_max = 0, gradient_cosine = 0;  // of the last linearization
  int num_iterations = 0;                        // accepted and rejected
  int num_accepted = 0;
  Termination termination = Termination::Cancelled;
  std::string cause;  // what the descent knows beyond the termination; often empty
};

}  // namespace thallo
