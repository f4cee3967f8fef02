#include "tests/support/loaded_linear_solvers.h"

#include "tests/support/built_plugins.h"

namespace thallo::test {

const LinearSolverRegistry& loaded_linear_solvers() { return loaded_plugin_items().linear_solvers; }

}  // namespace thallo::test
