// `thallo explain --what-if`: which schedules are compared, and at which sizes or on which devices.
#pragma once

#include <string>

#include "core/cli/session.h"
#include "core/cost/device/device_spec.h"
#include "core/frontend/energy_file.h"
#include "core/problem/choose_schedule.h"

namespace thallo::cli {

struct WhatIfRequest {
  std::string what;      // "sizes", "iterations" or "devices"
  std::string schedule;  // compared beside the named ones; may be empty
  bool json = false;
};

// Prints to stdout. `title` says what the problem is. Throws UserError for a schedule that is none.
void print_what_if(Session& session, const WhatIfRequest& request, const EnergyFile& file,
                   const AutoTarget& target, const DeviceSpec& device, const std::string& title);

}  // namespace thallo::cli
