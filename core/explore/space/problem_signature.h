// Computes a signature of a problem instance from everything that its measurements depend on, so
// that measurements are found again when the same instance is solved in another process or on
// another machine.
#pragma once

#include <string>

#include "core/energy/binding.h"
#include "core/kernel/lower.h"
#include "core/problem/problem.h"

namespace thallo {

// Returns "p" and 12 hexadecimal digits: a hash of the problem's name, the options, the energy, the
// extents and contents of everything bound, the precision, and the options that determine the
// program. `options` must be complete. Options that are file paths are not hashed, since the
// contents of the files are.
std::string problem_signature(const Problem& problem, const Options& options, const Energy& energy,
                              const Binding& binding, const ProgramOptions& program);

}  // namespace thallo
