// The pass factor_sums: greedy factoring of sums over the expressions of one kernel. A factor that
// the most terms share is taken out (boolean factors count ten times, so that work under a false
// mask is skipped as a whole), and the rest is factored again. Private to code generation.
#pragma once

#include "core/kernel/kernel.h"

namespace thallo {

// New nodes are added to `graph`.
void factor_sums(ExprGraph& graph, Kernel& kernel);

}  // namespace thallo
