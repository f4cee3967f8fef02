// Names an instance of a problem after everything that its measurements depend on, so that they are
// found again where the same instance is solved: in another process, or on another machine.
#pragma once

#include <string>

#include "core/energy/binding.h"
#include "core/kernel/lower.h"
#include "core/problem/problem.h"
#include "core/schedule/precision.h"

namespace thallo {

// "p" and 12 hexadecimal digits: a hash of the problem's name, the options, the energy, the extents
// and contents of all that is bound, the precision, and what decides which program is made. Options
// must be complete. Those that are paths of files do not count, since the contents do.
std::string problem_signature(const Problem& problem, const Options& options, const Energy& energy,
                              const Binding& binding, Precision precision,
                              const ProgramOptions& program);

}  // namespace thallo
