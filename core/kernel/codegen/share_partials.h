// The pass share_partials: common partial sums and products. Operands that several n-ary nodes
// share become one node of their own, the largest use count first, products before sums. The new
// nodes are held together by Identity, which code generation looks through. Private to code
// generation.
#pragma once

#include <span>
#include <vector>

#include "core/ir/graph.h"

namespace thallo {

// Expressions equal to `roots`, in their order. New nodes are added to `graph`.
std::vector<ExprId> share_partials(ExprGraph& graph, std::span<const ExprId> roots);

}  // namespace thallo
