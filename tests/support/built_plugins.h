// The modules of the build tree, as the program finds them. A test that loads them has
// thallo_plugins as a dependency.
#pragma once

#include <string_view>

#include "core/plugin/registrar.h"

namespace thallo::test {

// Those of lib/thallo/FOLDER, "plugins" or "problems". A failure to load fails the test.
void load_built_plugins(const RegistrySet& registries, std::string_view folder);

}  // namespace thallo::test
