#pragma once

// What a front end makes of the text of an energy.

#include <optional>
#include <string>
#include <vector>

#include "core/energy/energy.h"
#include "core/schedule/statement.h"

namespace thallo {

// What the text requests from the solver; absent if it does not say.
struct SolverDefaults {
  std::optional<bool> use_preconditioner;
};

// An energy with the schedule and solver defaults of its author. The schedule is kept as written:
// the loaded constructs decide what the statements mean (read_schedule,
// core/schedule/schedule_reader.h).
struct EnergyFile {
  Energy energy;
  SolverDefaults defaults = {};
  std::vector<ScheduleStatement> schedule = {};
  // The schedule that is meant if the text has none and the user asks for none
  // (core/schedule/named_schedules.h); "" if nothing says so.
  std::string schedule_name = {};
};

}  // namespace thallo
