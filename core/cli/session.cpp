#include "core/cli/session.h"

#include <algorithm>
#include <utility>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/base/suggest.h"
#include "core/problem/files/problem_file.h"

namespace thallo::cli {

const PluginReport& Session::plugins() {
  if (!plugins_) {
    RegistrySet registries;
    registries.offer(problems_);
    registries.offer(constructs_);
    plugins_ = load_plugins(plugin_folders(plugin_path_), registries);
    add_energy_problems();
    clock_.mark("plugins");
  }
  return *plugins_;
}

void Session::add_energy_problems() {
  std::vector<std::filesystem::path> folders;
  for (const PluginFolder& folder : plugins_->folders) folders.push_back(folder.path);
  for (auto& [path, why] : add_problem_files(folders, problems_)) {
    logger("plugin").warn("{}", why);
    plugins_->failures.push_back({path, PluginStage::Register, std::move(why)});
  }
}

const ProblemRegistry& Session::problems() {
  plugins();
  return problems_;
}

const ConstructRegistry& Session::constructs() {
  plugins();
  return constructs_;
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
