#pragma once

// Shows what each directive of a schedule gains: starting from published-default, adds the
// schedule's directives one by one, in the order of stages, and gives the time of each schedule on
// the way.

#include <optional>
#include <string>
#include <vector>

#include "core/explore/report/report.h"

namespace thallo {

struct ScheduleStep {
  // The directive that this step adds; "published-default" for the first step. The last step may
  // remove directives that published-default has and the schedule lacks; these are listed, each
  // after "without".
  std::vector<std::string> change;
  std::string hash;                 // of the resulting schedule
  std::optional<double> measured;   // by the report's kind, if the store has it
  std::optional<double> predicted;  // by the same model as the report's estimates
  // The speedup over published-default, from measured times if both exist, else from predictions.
  // Absent if neither exists.
  std::optional<double> factor;
  bool is_factor_measured = false;
};

// Directives that are already present are not steps. A directive that is only legal after another
// comes after it. Fails if the energy has no published-default.
Expected<std::vector<ScheduleStep>> schedule_steps(const ExploredProblem& problem,
                                                   const CostModel& model,
                                                   const DeviceReport& report,
                                                   const Schedule& schedule);

}  // namespace thallo
