// Prints for `thallo explain --why` why one schedule is predicted to be faster than another.
#pragma once

#include <string>

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

// As an object with the members "problem", "predicted", "from", "to" and "causes", or as text below
// the title.
void print_why(const ShownWhy& why, const std::string& problem, const std::string& title,
               bool as_json);

}  // namespace thallo::cli
