// The pass factor_sums: greedy factoring of sums over the expressions of one kernel. A factor that
// the most terms share is taken out (boolean factors count ten times, so that work under a false
// mask is skipped as a whole), and the rest is factored again. A factor that may be infinite, as
// data are that mark missing elements, stays behind the masks of its terms: b*x + c*x is x*(b + c)
// only if x is finite where b and c are both 0. Private to code generation.
#pragma once

#include <span>

#include "core/energy/energy.h"
#include "core/kernel/kernel.h"

namespace thallo {

// New nodes are added to `graph`. `fields` are those of the program.
void factor_sums(std::span<const Field> fields, ExprGraph& graph, Kernel& kernel);

}  // namespace thallo
