// Passes over the expressions of one kernel, before they are put in order. Each is one file and can
// be switched off (PassOptions). A pass maps roots to equivalent roots in the same graph.
#pragma once

#include <span>
#include <vector>

#include "core/ir/graph.h"

namespace thallo {

// Greedy factoring of sums: a factor shared by the most terms is taken out (boolean factors count
// ten times: work under a false mask is then skipped as a whole), and the rest is factored again.
std::vector<ExprId> factor_sums(ExprGraph& graph, std::span<const ExprId> roots);

// Common partial sums and products: operands that several n-ary nodes share become one node of
// their own, largest use count first, products before sums. The new nodes are held together by
// Identity, which code generation looks through.
std::vector<ExprId> share_partials(ExprGraph& graph, std::span<const ExprId> roots);

}  // namespace thallo
