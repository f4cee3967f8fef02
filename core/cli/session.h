// The session of the command line. It turns faults of the request into exceptions, and records in
// the startup clock when plugins were loaded and when a backend was opened.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/cli/startup_clock.h"
#include "core/plugin/process_group.h"
#include "core/plugin/session.h"

namespace thallo::cli {

class Session final : public thallo::Session {
 public:
  Session(StartupClock clock, std::vector<std::string> plugin_path);

  StartupClock& clock() { return clock_; }
  // Returns the problem of that name. Throws UserError with the nearest name if there is none.
  const Problem& problem(std::string_view name);
  // What connects processes that were started together.
  const LauncherRegistry& launchers();
  // Opens a backend. Throws UserError for an unknown name, and DeviceError with the reason if the
  // backend, or this device of it, is not available.
  std::unique_ptr<Backend> backend(const std::string& name, int ordinal = 0);

 private:
  StartupClock clock_;
  LauncherRegistry launchers_{"launcher"};
};

}  // namespace thallo::cli
