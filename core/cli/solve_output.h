// Describes a finished run in words and in JSON.
#pragma once

#include <string>

#include "core/cli/startup_clock.h"
#include "core/problem/driver.h"
#include "core/problem/problem.h"

namespace thallo::cli {

// Summary, where the time went, metrics; if `verbose`, the solver options in effect. Ends with a
// line end.
std::string solve_text(const Problem& problem, const Run& run, const StartupClock& clock,
                       bool verbose);

// run_json() with the times of the start; its fields are described in docs/cli.md.
std::string solve_json(const Problem& problem, const Run& run, const StartupClock& clock);

}  // namespace thallo::cli
