// The target of commands that show programs without running them. Its backend need not exist on
// this machine.
#pragma once

#include <optional>
#include <string>

#include "core/cli/flags/run_options.h"
#include "core/cost/device/device_spec.h"

namespace thallo::cli {

struct SupposedTarget {
  std::string backend;  // "auto" if none is named
  // As the user asks, or double for the interpreter. If unset, the instance chooses.
  std::optional<Precision> precision;
  std::optional<DeviceSpec> spec;  // present if the user names one
};

// Throws UserError for an unknown backend or spec, for a spec of another backend, and for float on
// the interpreter.
SupposedTarget supposed_target(const RunOptions& options, const RunRequest& request);

}  // namespace thallo::cli
