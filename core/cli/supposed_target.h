// Where the programs are supposed to run that a command shows without running them: the backend
// need not be there on this machine.
#pragma once

#include <optional>
#include <string>

#include "core/cli/run_options.h"
#include "core/cost/device_spec.h"

namespace thallo::cli {

struct SupposedTarget {
  std::string backend;  // "auto" where none is named
  // As the user asks, or double on the interpreter; unset: the instance's choice.
  std::optional<Precision> precision;
  std::optional<DeviceSpec> spec;  // when the user names one
};

// UserError for a backend or spec that is none, for a spec of another backend, and for float on the
// interpreter.
SupposedTarget supposed_target(const RunOptions& options, const RunRequest& request);

}  // namespace thallo::cli
