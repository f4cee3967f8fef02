// The pass factor_sums: greedy factoring of sums over the expressions of one kernel. A factor that
// the most terms share is taken out (boolean factors count ten times, so that work under a false
// mask is skipped as a whole), and the rest is factored again. Private to code generation.
#pragma once

#include <span>
#include <vector>

#include "core/ir/graph.h"

namespace thallo {

// Expressions equal to `roots`, in their order. New nodes are added to `graph`.
std::vector<ExprId> factor_sums(ExprGraph& graph, std::span<const ExprId> roots);

}  // namespace thallo
