// Runs an exploration (core/explore/search/exploration.h) for `thallo explore`, with a progress
// bar, ends it at Ctrl-C, and prints the results.
#pragma once

#include "core/cli/exit_code.h"
#include "core/cli/session.h"
#include "core/explore/search/exploration.h"

namespace thallo::cli {

// Completes `request` with the command that starts workers, the number of workers if it is 0, and
// the flag that cancels the exploration.
ExitCode run_exploration(Session& session, ExplorationRequest request, bool as_json);

}  // namespace thallo::cli
