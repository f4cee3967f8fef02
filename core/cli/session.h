// The session of the command line: faults of what the user asked for are exceptions, and the clock
// of the start is told when plugins were loaded and when a backend was opened.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/cli/startup_clock.h"
#include "core/plugin/session.h"

namespace thallo::cli {

class Session final : public thallo::Session {
 public:
  Session(StartupClock clock, std::vector<std::string> plugin_path);

  StartupClock& clock() { return clock_; }
  // UserError with the nearest name when there is none.
  const Problem& problem(std::string_view name);
  // UserError for a name that is none; DeviceError with the reason when the backend, or this device
  // of it, is not there.
  std::unique_ptr<Backend> backend(const std::string& name, int ordinal = 0);

 private:
  StartupClock clock_;
};

}  // namespace thallo::cli
