#include "core/cli/session.h"

#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/cli/require.h"
#include "core/problem/files/problem_file.h"

namespace thallo::cli {

Session::Session(StartupClock clock, std::vector<std::string> plugin_path)
    : thallo::Session(std::move(plugin_path), [this](std::string_view step) { clock_.mark(step); }),
      clock_(std::move(clock)) {
  offer(launchers_);
}

const Problem& Session::problem(std::string_view name) {
  if (is_energy_path(name, front_ends())) {
    throw UserError(
        fmt::format("{}: the name of a problem is wanted; `thallo run` runs an energy text", name));
  }
  return *require(problems().lookup(name));
}

const LauncherRegistry& Session::launchers() {
  plugins();
  return launchers_;
}

std::unique_ptr<Backend> Session::backend(const std::string& name, int ordinal) {
  require(check_backend_name(name));
  auto backend = open_backend(name, ordinal);
  if (!backend) throw DeviceError("backend " + name, backend.error().message());
  return std::move(*backend);
}

}  // namespace thallo::cli
