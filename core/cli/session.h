// What all subcommands share: the global options, the plugins with what they provide, the clock of
// the start. Plugins are loaded when a command first asks for them.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/backend/backend.h"
#include "core/cli/startup_clock.h"
#include "core/plugin/loader.h"
#include "core/problem/problem.h"
#include "core/schedule/construct.h"

namespace thallo::cli {

class Session {
 public:
  explicit Session(StartupClock clock) : clock_(std::move(clock)) {}

  std::vector<std::string>& plugin_path() { return plugin_path_; }
  StartupClock& clock() { return clock_; }

  const PluginReport& plugins();
  const ProblemRegistry& problems();
  const ConstructRegistry& constructs();
  // UserError with the nearest name when there is none.
  const Problem& problem(std::string_view name);

  // auto, cpu, cuda or interpreter. UserError for another name; DeviceError with the reason when
  // the one asked for is not there. The time is phase "backend" of the clock: on a GPU it is the
  // creation of the driver's context.
  std::unique_ptr<Backend> open_backend(const std::string& name);

 private:
  // Adds the problems of the .toml files in the folders that plugins are loaded from.
  void add_energy_problems();

  std::vector<std::string> plugin_path_;
  StartupClock clock_;
  ProblemRegistry problems_{"problem"};
  ConstructRegistry constructs_{"construct"};
  std::optional<PluginReport> plugins_;
};

}  // namespace thallo::cli
