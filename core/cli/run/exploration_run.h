// Runs an exploration (core/explore/search/exploration.h) for `thallo explore`, with a progress
// bar, ends it at Ctrl-C, and prints the results.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/cli/exit_code.h"
#include "core/cli/session.h"
#include "core/explore/search/exploration.h"
#include "core/explore/search/prediction.h"

namespace thallo::cli {

// Completes `request` with the command that starts workers, the number of workers if it is 0, and
// the flag that cancels the exploration.
ExitCode run_exploration(Session& session, ExplorationRequest request, bool as_json);
// Predicts times instead of measuring them (core/explore/search/prediction.h), or replays the
// search on the times of the request's store, and prints what it finds.
ExitCode run_prediction(Session& session, ExplorationRequest request,
                        const std::optional<StoredTimesOptions>& replayed, bool as_json);

}  // namespace thallo::cli
