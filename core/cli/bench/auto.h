// thallo bench auto: how long the choice of the schedule `auto` takes, and what it promises.
#pragma once

#include <span>

#include "core/cli/data_table.h"
#include "core/cli/run_options.h"
#include "core/cli/session.h"

namespace thallo::cli {

// Chooses 100 times for each problem, with its own default options, for the device that `run` names
// or, if it names none, for that of the backend. UserError with the reason when a problem cannot be
// instantiated.
DataTable bench_auto(Session& session, std::span<const Problem* const> problems,
                     const RunOptions& run);

}  // namespace thallo::cli
