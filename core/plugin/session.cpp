#include "core/plugin/session.h"

#include <filesystem>
#include <utility>

#include <fmt/ranges.h>

#include "core/backend/choose_device_spec.h"
#include "core/base/log.h"
#include "core/cost/learned/learned_model.h"
#include "core/language/lua_front_end.h"
#include "core/problem/files/problem_file.h"
#include "core/search/search.h"

namespace thallo {

Session::Session(std::vector<std::string> plugin_path, StepTaken step_taken)
    : plugin_path_(std::move(plugin_path)),
      step_taken_(step_taken ? std::move(step_taken) : [](std::string_view) {}),
      registries_("front end", "problem", "construct", "cost model", "search", "linear solver",
                  "preconditioner") {}

Session::~Session() = default;

const PluginReport& Session::plugins() {
  if (!plugins_) {
    RegistrySet offered;
    std::apply([&](auto&... registry) { (offered.offer(registry), ...); }, registries_);
    for (const auto& offer : offers_) offer(offered);
    add_front_ends(std::get<FrontEndRegistry>(registries_));
    add_cost_models(std::get<CostModelRegistry>(registries_));
    add_learned_models(std::get<CostModelRegistry>(registries_));
    add_searches(std::get<SearchRegistry>(registries_));
    add_linear_solvers(std::get<LinearSolverRegistry>(registries_));
    add_preconditioners(std::get<PreconditionerRegistry>(registries_));
    plugins_ = load_plugins(plugin_folders(plugin_path_), offered);
    add_energy_problems();
    step_taken_("plugins");
  }
  return *plugins_;
}

void Session::add_energy_problems() {
  std::vector<std::filesystem::path> folders;
  for (const PluginFolder& folder : plugins_->folders) folders.push_back(folder.path);
  for (auto& [path, why] : add_problem_files(folders, std::get<FrontEndRegistry>(registries_),
                                             std::get<ProblemRegistry>(registries_))) {
    logger("plugin").warn("{}", why);
    plugins_->failures.push_back({path, PluginStage::Register, std::move(why)});
  }
}

Expected<const CostModel*> Session::cost_model(const std::string& name) {
  const std::filesystem::path path = name;
  if (path.extension() != ".json") return cost_models().lookup(name);
  auto& opened = opened_models_[name];
  if (!opened) {
    THALLO_TRY(opened, read_learned_model(name, path));
  }
  return opened.get();
}

Expected<const Problem*> Session::open_problem(std::string_view name,
                                               std::span<const SourceText> bindings) {
  if (is_energy_path(name, front_ends())) {
    THALLO_TRY(auto spec, read_energy_problem(name, bindings, front_ends()));
    return opened_.emplace_back(std::make_unique<EnergyProblem>(std::move(spec))).get();
  }
  if (!bindings.empty()) {
    return fail("{}={}: only inputs of an energy text are bound; '{}' is no path of a {} or .toml",
                bindings.front().name, bindings.front().source, name,
                fmt::join(energy_suffixes(front_ends()), ", "));
  }
  return problems().lookup(name);
}

Expected<std::unique_ptr<Backend>> Session::open_backend(std::string_view name, int ordinal) {
  auto backend = make_backend(name, ordinal);
  step_taken_("backend");
  return backend;
}

Expected<DeviceSpec> Session::device_spec(const std::string& wanted, std::string_view backend,
                                          int ordinal) {
  if (const std::string named = wanted_device_spec(wanted); !named.empty())
    return named_device_spec(named, backend);
  THALLO_TRY(const auto opened, open_backend(backend, ordinal));
  return measured_device_spec(*opened);
}

}  // namespace thallo
