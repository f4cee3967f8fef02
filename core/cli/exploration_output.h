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

// The best ten and the marked ones, best first by the explorer's objective, and why others have no
// time; those that were left out since they do not fit are counted.
void print_exploration(const Explorer& explorer, const FittingSchedules& fitting,
                       const std::vector<MarkedSchedule>& marked);
// All candidates. `space` is the id of the space that was explored, "full" where it has none.
void print_exploration_json(const Explorer& explorer, const FittingSchedules& fitting,
                            const std::vector<MarkedSchedule>& marked, const std::string& space);

}  // namespace thallo::cli
