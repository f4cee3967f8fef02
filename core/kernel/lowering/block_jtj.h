// A sparse JtJ, stored as blocks (format blocks) or as a CSR matrix made of such blocks (format
// csr). Private to lowering.
#pragma once

#include "core/kernel/lowering/part_expressions.h"

namespace thallo {

// `fill_jtj` stores the blocks of JtJ that are not zero, and `apply_jtjp` applies them.
void lower_block_jtj(ProgramBuilder& builder, const PartExpressions& e);
// `mirror_jtj` makes a CSR matrix of the blocks, which a library applies.
void lower_csr_jtj(ProgramBuilder& builder, const PartExpressions& e);

}  // namespace thallo
