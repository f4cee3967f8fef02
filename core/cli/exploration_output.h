// Prints what an exploration has found, for people or as JSON.
#pragma once

#include <string>
#include <vector>

#include "core/explore/explorer.h"
#include "core/explore/fitting_schedules.h"

namespace thallo::cli {

// A schedule with a name, which every report marks.
struct MarkedSchedule {
  std::string name;  // "default"
  std::string hash;
};

// What is told of an exploration.
struct ExplorationOutcome {
  const Explorer& explorer;
  const FittingSchedules& fitting;
  std::vector<MarkedSchedule> marked;
  std::string space;                       // its id, "full" where it has none
  std::vector<std::string> other_devices;  // that the store has results of this problem of
};

// The best ten and the marked ones, best first by the explorer's objective, and why others have no
// time; those that were left out since they do not fit are counted.
void print_exploration(const ExplorationOutcome& outcome);
// All candidates.
void print_exploration_json(const ExplorationOutcome& outcome);

}  // namespace thallo::cli
