#include "tests/problems/loaded_problems.h"

#include <gtest/gtest.h>

#include <memory>
#include <utility>

#include "core/plugin/loader.h"

namespace thallo::test {

const ProblemRegistry& loaded_problems() {
  static const auto registry = [] {
    auto problems = std::make_unique<ProblemRegistry>("problem");
    RegistrySet registries;
    registries.offer(*problems);
    std::vector<PluginFolder> folders = plugin_folders();
    std::erase_if(folders, [](const PluginFolder& folder) { return folder.origin != "built in"; });
    for (const PluginFailure& failure : load_plugins(folders, registries).failures) {
      ADD_FAILURE() << failure.message;
    }
    return problems;
  }();
  return *registry;
}

Expected<Made> make_instance(std::string_view name, const Options& options) {
  const auto problem = loaded_problems().lookup(name);
  if (!problem) return tl::unexpected(problem.error());
  const auto complete = complete_options((*problem)->options(), options);
  if (!complete) return tl::unexpected(complete.error());
  auto energy = (*problem)->energy(*complete);
  if (!energy) return tl::unexpected(energy.error());
  auto instance = (*problem)->instantiate(*energy, *complete);
  if (!instance) return tl::unexpected(instance.error());
  if (auto valid = instance->binding.validate(*energy); !valid) {
    return tl::unexpected(valid.error());
  }
  return Made{*problem, *std::move(energy), *std::move(instance)};
}

}  // namespace thallo::test
