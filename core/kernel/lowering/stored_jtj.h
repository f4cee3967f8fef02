// A JtJ of affine accesses stored as diagonals (format structured): the kernel `fill_jtj` stores
// the diagonals of the upper triangle at every linearization, `gather_jtjp` applies them. Private
// to lowering.
#pragma once

#include "core/kernel/lowering/gather_product.h"
#include "core/kernel/lowering/part_expressions.h"

namespace thallo {

// Of the pieces of one part.
void lower_stored_jtj(ProgramBuilder& builder, const std::vector<PartExpressions>& pieces,
                      ProductGathers& gathers);

}  // namespace thallo
