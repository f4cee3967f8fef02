// Prints the results of an exploration, for people or as JSON.
#pragma once

#include <string>
#include <vector>

#include "core/cli/output/search_output.h"
#include "core/explore/measure/measurer.h"
#include "core/explore/search/fitting_schedules.h"

namespace thallo::cli {

// A named schedule, which every report marks.
struct MarkedSchedule {
  std::string name;  // "default"
  std::string hash;
  bool keeps_pins = true;
};

// The results to print.
struct ExplorationOutcome {
  const Measurer& measurer;
  const FittingSchedules& fitting;
  std::vector<MarkedSchedule> marked;
  std::vector<std::string> models;         // the models whose predictions are shown
  std::string space;                       // the id of the space; "full" if it has none
  std::vector<std::string> other_devices;  // other devices that the store has results of
  SearchedBy searched;
  std::vector<std::string> pins;  // as a schedule writes them
};

// Prints the best ten and the marked schedules, the best by the measurer's objective first, then
// why others have no time. Schedules that were left out because they do not fit are counted. A
// marked schedule that does not keep the pins is never the fastest.
void print_exploration(const ExplorationOutcome& outcome);
// Prints all candidates.
void print_exploration_json(const ExplorationOutcome& outcome);

}  // namespace thallo::cli
