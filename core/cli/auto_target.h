// What the schedule `auto` is chosen for by commands that run nothing themselves.
#pragma once

#include <string>

#include "core/cli/run_options.h"
#include "core/cli/session.h"
#include "core/problem/choose_schedule.h"

namespace thallo::cli {

// For an instance of a problem on that backend, with the device spec that the user names; else with
// that of the device, which is measured when it is not known, or that of an H200 where `backend` is
// cuda and there is no device. All arguments but `backend` must outlive the result.
AutoTarget auto_target(Session& session, const RunOptions& run, const std::string& backend,
                       const EnergyFile& file, const Instance& instance, const RunRequest& request,
                       Precision precision);

}  // namespace thallo::cli
