// thallo bench moves: times the single decisions that are open from a schedule, and compares what
// each was predicted to change with what it changes.
#pragma once

#include <string>

#include "core/base/options.h"
#include "core/cli/flags/run_options.h"
#include "core/cli/output/data_table.h"
#include "core/cli/session.h"

namespace thallo::cli {

struct MovesToTime {
  RunOptions run;   // with the schedule to start from
  Options options;  // of the problem, as given by the user
  double least_change =
      0.02;        // the predicted change of a time, as a share, from which on it counts
  int most = 200;  // so many of them, those with the largest changes first
  int solves = 3;
};

// Throws UserError as bench_schedules() does.
DataTable bench_moves(Session& session, const MovesToTime& wanted);

}  // namespace thallo::cli
