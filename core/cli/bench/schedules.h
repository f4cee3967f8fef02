// thallo bench schedules: what an iteration of a problem takes under each of several schedules.
#pragma once

#include <string>
#include <vector>

#include "core/cli/data_table.h"
#include "core/cli/run_options.h"
#include "core/cli/session.h"
#include "core/problem/options.h"

namespace thallo::cli {

struct SchedulesToTime {
  RunOptions run;
  Options options;                 // of the problem, as the user gave them
  std::vector<std::string> names;  // see choose_schedule(); none: all that the energy has by name
  int solves = 3;
};

// Solves with all tests for stopping switched off, so that every schedule makes the same
// iterations. UserError when there is no such schedule, or it cannot be run.
DataTable bench_schedules(Session& session, const SchedulesToTime& wanted);

}  // namespace thallo::cli
