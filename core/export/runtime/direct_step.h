// The linear solve of a step by a dense factor, in exported solvers.
#pragma once

#include <cstdint>
#include <functional>

namespace thallo {

// (matrix + diag(damping)) x = b, with n rows; all arrays are in double.
struct DirectStep {
  std::int64_t n = 0;
  const double* matrix = nullptr;
  const double* damping = nullptr;  // null: there is none
  const double* free = nullptr;
  const double* b = nullptr;
  double* x = nullptr;
  double* state = nullptr;  // that tells whether it failed
};

// Returns what solves the system as it then is.
std::function<void()> direct_solve(const DirectStep& step);

}  // namespace thallo
