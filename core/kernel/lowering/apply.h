// The part's share of the linear operator, computed from derivatives: Ap += dF (dF p) and
// state.PAp += p.JtJp. One kernel (`apply_jtjp`, `gather_jtjp`), or, when the strategy stores Jp,
// one that stores it (`apply_jp`) and one that multiplies it with Jt (`apply_jt`, `gather_jt`).
// Private to lowering.
#pragma once

#include <vector>

#include "core/kernel/lowering/gather_product.h"
#include "core/kernel/lowering/part_expressions.h"

namespace thallo {

// Jp of each residual, times its weight.
std::vector<ExprId> weighted(ProgramBuilder& builder, const PartExpressions& e,
                             std::vector<ExprId> jp);
// What the part adds to Ap: J^T times the factors, one for each residual.
std::vector<Addend> transposed_addends(ProgramBuilder& builder, const PartExpressions& e,
                                       const std::vector<ExprId>& factors);

// Kernels that gather Ap go to `gathers`, which launches them later; others are launched at once.
void lower_apply(ProgramBuilder& builder, const PartExpressions& e, ProductGathers& gathers);

}  // namespace thallo
