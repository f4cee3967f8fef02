// Determines the device that `auto` is chosen for in commands that run nothing themselves.
#pragma once

#include <string>

#include "core/cli/run_options.h"
#include "core/cli/session.h"
#include "core/cli/wanted_program.h"

namespace thallo::cli {

// Returns the target for an instance of a problem on that backend. The device spec is the one that
// the user names; otherwise that of the device, which is measured if unknown; otherwise that of an
// H200, if `backend` is cuda and there is no device. All arguments but `backend` must outlive the
// result.
AutoTarget auto_target(Session& session, const RunOptions& run, const std::string& backend,
                       const Instance& instance, const RunRequest& request,
                       const DecidedProgram& decided);

}  // namespace thallo::cli
