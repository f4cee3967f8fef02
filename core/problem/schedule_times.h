// The predicted times of a schedule on a device, step by step, as `thallo explain why` and
// EnergySolver::explain() tell them.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "core/cost/model/work.h"
#include "core/cost/pricing/step_times.h"

namespace thallo {

struct ScheduleTimes {
  std::string name;             // of the schedule, or its text
  double seconds = 0;           // of a nonlinear iteration
  std::vector<StepTime> steps;  // those that take longest in a nonlinear iteration first
  BesideSteps beside;
};

ScheduleTimes schedule_times(std::string name, const ProgramWork& work, const PriceScope& scope);
nlohmann::ordered_json json_of(const ScheduleTimes& times);

// A schedule with what it is predicted to cost for some data.
struct ExplainedSchedule {
  ScheduleTimes times;  // named by the text of the schedule, "" for the default one
  std::vector<std::string> directives;
  std::string device, model;     // that predictions are for, and by
  double linear_iterations = 0;  // that a nonlinear iteration is assumed to have
};

// Has the members of the times, and further ones for what the schedule has beside them.
nlohmann::ordered_json json_of(const ExplainedSchedule& explained);

}  // namespace thallo
