// The pass share_partials: common partial sums and products. Operands that several n-ary nodes
// share become one node of their own, the largest use count first, products before sums. The new
// nodes are held together by Identity, which code generation looks through. Private to code
// generation.
#pragma once

#include "core/kernel/kernel.h"

namespace thallo {

// New nodes are added to `graph`.
void share_partials(ExprGraph& graph, Kernel& kernel);

}  // namespace thallo
