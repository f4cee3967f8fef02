// The kernel `cost` of a part: state.CostSum += 0.5 |F|^2 over the part's points. The kernel of the
// last part moves the sum to state.Cost. Private to lowering.
#pragma once

#include "core/kernel/lowering/part_expressions.h"

namespace thallo {

void lower_cost(ProgramBuilder& builder, const PartExpressions& e, bool is_last);

}  // namespace thallo
