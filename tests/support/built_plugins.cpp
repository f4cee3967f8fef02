#include "tests/support/built_plugins.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "core/plugin/loader.h"

namespace thallo::test {

void load_built_plugins(const RegistrySet& registries, std::string_view folder) {
  std::vector<PluginFolder> folders = plugin_folders();
  std::erase_if(folders, [&](const PluginFolder& candidate) {
    return candidate.origin != "built in" || candidate.path.filename() != folder;
  });
  for (const PluginFailure& failure : load_plugins(folders, registries).failures) {
    ADD_FAILURE() << failure.message;
  }
}

const PluginItems& loaded_plugin_items() {
  static const auto items = [] {
    auto loaded = std::make_unique<PluginItems>();
    add_linear_solvers(loaded->linear_solvers);
    RegistrySet registries;
    registries.offer(loaded->constructs);
    registries.offer(loaded->linear_solvers);
    load_built_plugins(registries, "plugins");
    return loaded;
  }();
  return *items;
}

}  // namespace thallo::test
