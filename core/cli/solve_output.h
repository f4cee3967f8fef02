// Describes a finished run in words and in JSON.
#pragma once

#include <cstdint>
#include <string>

#include "core/cli/startup_clock.h"
#include "core/problem/driver.h"
#include "core/problem/problem.h"

namespace thallo::cli {

// What a run of one or more solves adds up to.
struct RunTotals {
  int iterations = 0;
  std::int64_t linear_iterations = 0;
  std::int64_t failed_blocks = 0;
  SolverSeconds seconds;
};
RunTotals totals_of(const Solution& solution);

// Summary, where the time went, metrics. Ends with a line end.
std::string solve_text(const Problem& problem, const Run& run, const StartupClock& clock);

// One object; its fields are described in docs/cli.md.
std::string solve_json(const Problem& problem, const Run& run, const StartupClock& clock);

}  // namespace thallo::cli
