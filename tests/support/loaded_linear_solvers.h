// The linear solvers as the program finds them: Thallo's own, and those of the plugins in the build
// tree. A test that uses them has thallo_plugins as a dependency.
#pragma once

#include "core/linear/linear_solver.h"

namespace thallo::test {

// Loaded on first use; a failure to load fails the test.
const LinearSolverRegistry& loaded_linear_solvers();

// Why a test of that linear solver is skipped.
inline constexpr const char* NoSupernodalCholesky =
    "supernodal_cholesky is in builds with THALLO_WITH_CHOLMOD alone";

}  // namespace thallo::test
