// thallo bench schedules: times an iteration of a problem under each of several schedules.
#pragma once

#include <string>
#include <vector>

#include "core/base/options.h"
#include "core/cli/flags/run_options.h"
#include "core/cli/output/data_table.h"
#include "core/cli/session.h"

namespace thallo::cli {

struct SchedulesToTime {
  RunOptions run;
  Options options;                 // of the problem, as given by the user
  std::vector<std::string> names;  // as choose_schedule() takes them; empty: all named ones
  int solves = 3;
};

// Solves with all stopping tests switched off, so that all schedules do the same iterations. Throws
// UserError if there is no such schedule or it cannot be run.
DataTable bench_schedules(Session& session, const SchedulesToTime& wanted);

}  // namespace thallo::cli
