// thallo bench steps: shows where the time of a problem's iteration goes, step by step.
#pragma once

#include <span>

#include "core/cli/session.h"
#include "core/problem/driver.h"

namespace thallo::cli {

// Profiles the first iteration of each problem with its default options. Prints a table for each
// problem and a summary if there are several, or one JSON object. Throws UserError if a problem
// cannot be run.
void bench_steps(Session& session, std::span<const Problem* const> problems,
                 const RunRequest& request, bool json);

}  // namespace thallo::cli
