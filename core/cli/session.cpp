#include "core/cli/session.h"

#include <algorithm>
#include <utility>

#include "core/base/error.h"
#include "core/base/suggest.h"

namespace thallo::cli {

const PluginReport& Session::plugins() {
  if (!plugins_) {
    RegistrySet registries;
    registries.offer(problems_);
    plugins_ = load_plugins(plugin_folders(plugin_path_), registries);
    clock_.mark("plugins");
  }
  return *plugins_;
}

const ProblemRegistry& Session::problems() {
  plugins();
  return problems_;
}

const Problem& Session::problem(std::string_view name) {
  const auto found = problems().lookup(name);
  if (!found) throw UserError(found.error());
  return **found;
}

std::unique_ptr<Backend> Session::open_backend(const std::string& name) {
  const std::vector<std::string> known = {"auto", "cpu", "cuda", "interpreter"};
  if (std::find(known.begin(), known.end(), name) == known.end()) {
    throw UserError(
        Diagnostic{fmt::format("no backend '{}'{}", name, did_you_mean(name, known)), {}, known});
  }
  auto backend = make_backend(name);
  if (!backend) throw DeviceError("backend " + name, backend.error().message());
  clock_.mark("backend");
  return std::move(*backend);
}

}  // namespace thallo::cli
