// Runs an exploration (core/explore/exploration.h) for `thallo explore`, with a bar for its
// progress and an end at Ctrl-C, and prints what was found.
#pragma once

#include "core/cli/exit_code.h"
#include "core/cli/session.h"
#include "core/explore/exploration.h"

namespace thallo::cli {

// `request` without what it runs with here: the command of workers, their number if it is 0, and
// what cancels it.
ExitCode run_exploration(Session& session, ExplorationRequest request, bool as_json);

}  // namespace thallo::cli
