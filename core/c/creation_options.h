// The options that a solver is created with, by name.
#pragma once

#include <cstddef>
#include <vector>

#include "core/base/diagnostic.h"
#include "core/base/options.h"
#include "core/c/thallo.h"
#include "core/embed/energy_solver.h"

namespace thallo::c_api {

// Of options whose names and values are not null.
std::vector<OptionText> option_texts(const thallo_option* options, std::size_t count);

// Fails for an unknown name, with the nearest one, and for a value that is none of the option's.
// Names and values must not be null.
Expected<EnergySolverOptions> creation_options(const thallo_option* options, std::size_t count);

}  // namespace thallo::c_api
