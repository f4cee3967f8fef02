#include "tests/support/loaded_constructs.h"

#include <memory>

#include "tests/support/built_plugins.h"

namespace thallo::test {

const ConstructRegistry& loaded_constructs() {
  static const auto registry = [] {
    auto constructs = std::make_unique<ConstructRegistry>("construct");
    RegistrySet registries;
    registries.offer(*constructs);
    load_built_plugins(registries, "plugins");
    return constructs;
  }();
  return *registry;
}

}  // namespace thallo::test
