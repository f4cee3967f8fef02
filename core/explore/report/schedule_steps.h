#pragma once

// What each directive of a schedule buys: published-default, then one directive of the schedule
// after the other in the order of stages, with the time of each schedule on the way.

#include <optional>
#include <string>
#include <vector>

#include "core/explore/report/report.h"

namespace thallo {

struct ScheduleStep {
  // The directive that is added; of the first, "published-default". The last step may take away
  // what published-default has and the schedule has not: these directives, each after "without".
  std::vector<std::string> change;
  std::string hash;                 // of the schedule that this makes
  std::optional<double> measured;   // if the store has it, by the report's kind
  std::optional<double> predicted;  // estimated, by the same model as the report's estimates
  // The time of published-default over this one: of measured times where both are, else of
  // predicted ones; absent where neither is known.
  std::optional<double> factor;
  bool is_factor_measured = false;
};

// Directives that are already there are no steps; one that needs a later one comes after it. Fails
// when there is no published-default for the energy.
Expected<std::vector<ScheduleStep>> schedule_steps(const ExploredProblem& problem,
                                                   const CostModel& model,
                                                   const DeviceReport& report,
                                                   const Schedule& schedule);

}  // namespace thallo
