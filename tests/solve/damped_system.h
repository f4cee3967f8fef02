// JtJ + D of an energy as a full matrix, for tests of solvers that eliminate unknowns.
#pragma once

#include <cstddef>
#include <vector>

#include "core/backend/backend.h"
#include "core/energy/binding.h"
#include "core/energy/energy.h"

namespace thallo::test {

struct DampedSystem {
  std::vector<double> matrix;              // of all unknown scalars
  std::vector<std::ptrdiff_t> kept, gone;  // those that are free, by what the program eliminates
};

// J is that of the energy's definition, D that of an executable in which Phase::Damp has run.
DampedSystem damped_system(Executable& executable, const Energy& energy, const Binding& binding,
                           SolverKind solver);

}  // namespace thallo::test
