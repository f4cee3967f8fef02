// The options that a solver is created with, by name.
#pragma once

#include <cstddef>

#include "core/base/diagnostic.h"
#include "core/c/thallo.h"
#include "core/embed/energy_solver.h"

namespace thallo::c_api {

// Fails for an unknown name, with the nearest one, and for a value that is none of the option's.
// Names and values must not be null.
Expected<EnergySolverOptions> creation_options(const thallo_option* options, std::size_t count);

}  // namespace thallo::c_api
