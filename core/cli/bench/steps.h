// thallo bench steps: where the time of a problem's iteration goes, step by step.
#pragma once

#include <span>

#include "core/cli/session.h"
#include "core/problem/driver.h"

namespace thallo::cli {

// Profiles the first iteration of each problem, with its own default options, and prints a table
// for each, one that sums them up when there are several, or one JSON object. UserError with the
// reason when a problem cannot be run.
void bench_steps(Session& session, std::span<const Problem* const> problems,
                 const RunRequest& request, bool json);

}  // namespace thallo::cli
