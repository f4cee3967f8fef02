#include "tests/support/loaded_constructs.h"

#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

#include "core/plugin/loader.h"

namespace thallo::test {

const ConstructRegistry& loaded_constructs() {
  static const auto registry = [] {
    auto constructs = std::make_unique<ConstructRegistry>("construct");
    RegistrySet registries;
    registries.offer(*constructs);
    std::vector<PluginFolder> folders = plugin_folders();
    std::erase_if(folders, [](const PluginFolder& folder) {
      return folder.origin != "built in" || folder.path.filename() != "plugins";
    });
    for (const PluginFailure& failure : load_plugins(folders, registries).failures) {
      ADD_FAILURE() << failure.message;
    }
    return constructs;
  }();
  return *registry;
}

}  // namespace thallo::test
