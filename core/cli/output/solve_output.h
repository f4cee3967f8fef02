// Describes a finished run, as text and as JSON.
#pragma once

#include <string>

#include "core/cli/startup_clock.h"
#include "core/problem/driver.h"
#include "core/problem/problem.h"

namespace thallo::cli {

// Returns the summary, the breakdown of the time, and the metrics; if `verbose`, also the solver
// options in effect. The text ends with a line break.
std::string solve_text(const Problem& problem, const Run& run, const StartupClock& clock,
                       bool verbose);

// Returns RunRecord::json() with the startup times added; docs/cli.md describes its fields. `error`
// says why not all that was asked for is written.
std::string solve_json(const Problem& problem, const Run& run, const StartupClock& clock,
                       const std::string& error = "");

}  // namespace thallo::cli
