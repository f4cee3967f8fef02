// The modules of the build tree, as the program finds them. A test that loads them has
// thallo_plugins as a dependency.
#pragma once

#include <string_view>

#include "core/linear/linear_solver.h"
#include "core/plugin/registrar.h"
#include "core/schedule/construct.h"

namespace thallo::test {

// Those of lib/thallo/FOLDER, "plugins" or "problems". A failure to load fails the test.
void load_built_plugins(const RegistrySet& registries, std::string_view folder);

// What those of "plugins" provide, and Thallo's own of it. Loaded on first use.
struct PluginItems {
  ConstructRegistry constructs{"construct"};
  LinearSolverRegistry linear_solvers{"linear solver"};
};
const PluginItems& loaded_plugin_items();

}  // namespace thallo::test
