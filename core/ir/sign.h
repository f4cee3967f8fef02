#pragma once

// What can be seen of the sign of an expression without knowing the values that it reads.

#include "core/ir/graph.h"

namespace thallo {

// True if the expression cannot be a negative number, as far as a few levels of its operands tell:
// squares, roots, absolute values, exponentials, sums and products of such expressions, and
// selections of what a comparison found positive. It may still not be a number.
bool is_nonnegative(const ExprGraph& graph, ExprId id);

}  // namespace thallo
