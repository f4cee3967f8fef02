// Sums over the solves of a run.
#pragma once

#include <cstdint>

#include "core/problem/problem.h"

namespace thallo {

struct RunTotals {
  int iterations = 0;
  std::int64_t linear_iterations = 0;
  std::int64_t failed_blocks = 0;
  SolverSeconds seconds;
  double cpu_seconds = 0;
};
RunTotals totals_of(const Solution& solution);

}  // namespace thallo
