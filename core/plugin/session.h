// What every program that runs Thallo needs, the command line and others: plugins with what they
// provide, the problems of .toml files, and backends. Plugins are loaded when something of theirs
// is first requested. Only one thread may use a session at a time.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "core/backend/backend.h"
#include "core/base/error.h"
#include "core/cost/model/cost_model.h"
#include "core/frontend/front_end.h"
#include "core/plugin/loader.h"
#include "core/problem/files/bind_inputs.h"
#include "core/problem/problem.h"
#include "core/schedule/construct.h"
#include "core/solve/options.h"

namespace thallo {

class Search;

class Session {
 public:
  // Called after a slow step: "plugins", or "backend", which on a GPU is the creation of the
  // driver's context.
  using StepTaken = std::function<void(std::string_view step)>;

  // `plugin_path` are folders that are searched before the others (plugin_folders()).
  explicit Session(std::vector<std::string> plugin_path = {}, StepTaken step_taken = {});
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session();

  const std::vector<std::string>& plugin_path() const { return plugin_path_; }
  const PluginReport& plugins();
  const ProblemRegistry& problems() { return registry<Problem>(); }
  // Returns the problem of that name. If `name` is the path of an energy text (is_energy_path()),
  // makes a problem from the text and the bindings. Both live as long as the session.
  Expected<const Problem*> open_problem(std::string_view name,
                                        std::span<const SourceText> bindings = {});
  const ConstructRegistry& constructs() { return registry<Construct>(); }
  template <class T>
  const Registry<T>& registry() {
    plugins();
    return std::get<Registry<T>>(registries_);
  }

  const CostModelRegistry& cost_models() { return registry<CostModel>(); }
  // Returns the cost model of that name, or the one in a file whose name ends in .json
  // (core/cost/learned/learned_model.h). It lives as long as the session.
  Expected<const CostModel*> cost_model(const std::string& name);
  const Registry<Search>& searches() { return registry<Search>(); }  // core/search/search.h
  const FrontEndRegistry& front_ends() { return registry<FrontEnd>(); }
  SolverParts solver_parts() { return {&registry<LinearSolver>(), &registry<Preconditioner>()}; }
  // Lets plugins provide items of a kind that only the caller knows. Must be called before anything
  // of plugins is requested; the registry must outlive the session.
  template <class T>
  void offer(Registry<T>& registry) {
    THALLO_ASSERT(!plugins_, "plugins are loaded already");
    offers_.push_back([&registry](RegistrySet& offered) { offered.offer(registry); });
  }

  // Opens a backend as make_backend() does.
  Expected<std::unique_ptr<Backend>> open_backend(std::string_view name, int ordinal = 0);
  // Returns the spec of the device that such a backend runs on: the wanted one (a file, or the name
  // of a shipped one), else the one that THALLO_DEVICE_SPEC names, else the one measured there, for
  // which the backend is opened (core/backend/choose_device_spec.h).
  Expected<DeviceSpec> device_spec(const std::string& wanted, std::string_view backend,
                                   int ordinal = 0);

 private:
  // Adds the problems of the .toml files in the folders that plugins are loaded from.
  void add_energy_problems();

  std::vector<std::string> plugin_path_;
  StepTaken step_taken_;
  // Everything that plugins can provide.
  std::tuple<FrontEndRegistry, ProblemRegistry, ConstructRegistry, CostModelRegistry,
             Registry<Search>, LinearSolverRegistry, PreconditionerRegistry>
      registries_;
  std::vector<std::function<void(RegistrySet&)>> offers_;
  std::optional<PluginReport> plugins_;
  std::vector<std::unique_ptr<const Problem>> opened_;                     // made from energy texts
  std::map<std::string, std::unique_ptr<const CostModel>> opened_models_;  // by path
};

}  // namespace thallo
