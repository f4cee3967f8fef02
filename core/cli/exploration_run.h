// Runs an exploration for `thallo explore`: searches a space, has schedules measured, and prints
// what was found.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "core/cli/exit_code.h"
#include "core/cli/session.h"
#include "core/explore/explorer.h"
#include "core/explore/indexed_space.h"

namespace thallo::cli {

struct ExplorationRequest {
  ExplorationTarget target;
  std::string search = "exhaustive";
  const IndexedSpace* space = nullptr;  // null: all schedules, without numbers
  std::string space_name;               // of a space with numbers, "published"
  std::optional<BigCount> first, end;   // of the space; absent: all of it
  std::optional<std::int64_t> samples;
  std::uint64_t seed = 1;
  MeasureBy measure = MeasureBy::Steps;
  Objective objective = Objective::NonlinearIteration;
  std::string store;  // a file
  int jobs = 0;       // workers that compile; 0: as many as there are cores
  std::optional<std::chrono::milliseconds> budget;
  int num_best = 5;    // that are run end to end
  int num_random = 0;  // others that are run end to end
  bool json = false;
};

ExitCode run_exploration(Session& session, const ExplorationRequest& request);

}  // namespace thallo::cli
