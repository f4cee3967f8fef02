// thallo bench auto: measures how long choosing the schedule `auto` takes, and how much time the
// choice saves.
#pragma once

#include <span>

#include "core/cli/flags/run_options.h"
#include "core/cli/output/data_table.h"
#include "core/cli/session.h"

namespace thallo::cli {

// Makes 100 choices for each problem with its default options, for the device that `run` names or,
// if it names none, for the backend's device. Throws UserError if a problem cannot be instantiated.
DataTable bench_auto(Session& session, std::span<const Problem* const> problems,
                     const RunOptions& run);

}  // namespace thallo::cli
