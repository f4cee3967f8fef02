// The linear operator of a solver that eliminates unknowns (docs/algorithms.md, "Elimination"). Its
// directions are p = (p_F, -V^-1 W^T p_F) in kept and eliminated unknowns. So an iteration first
// computes W^T p_F, the part of JtJ p_F in eliminated rows; `eliminate` makes p complete; and the
// kernels that follow compute JtJ p in kept rows, since it is 0 in eliminated ones. Private to
// lowering.
#pragma once

#include <vector>

#include "core/kernel/lowering/gather_product.h"
#include "core/kernel/lowering/part_expressions.h"

namespace thallo {

// Makes and launches all of these kernels, for the parts whose expressions these are. Gathers come
// first, as in products.cpp.
void lower_eliminating_operator(ProgramBuilder& builder, const std::vector<PartExpressions>& pieces,
                                ProductGathers& gathers);

}  // namespace thallo
