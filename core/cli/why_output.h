// Prints for `thallo explain --why` why one schedule is predicted to be faster than another.
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "core/cost/pricing/time_change.h"
#include "core/problem/schedule_times.h"

namespace thallo::cli {

struct ShownWhy {
  ScheduleTimes from, to;
  TimeChangeCauses change;
  std::string device;            // the device's name
  std::string model;             // the cost model's
  double linear_iterations = 0;  // that predictions assume
};

// The text ends with a line break.
std::string why_text(const ShownWhy& why);
// Adds the members "predicted", "from", "to" and "causes".
void add_why(nlohmann::ordered_json& json, const ShownWhy& why);

}  // namespace thallo::cli
