// The multigrid preconditioner (core/kernel/multigrid.h). Private to lowering.
#pragma once

#include <vector>

#include "core/kernel/lowering/part_expressions.h"

namespace thallo {

// Declares the matrix of the finest level and the memory of the levels, and fills the matrix in
// Phase::Linearize: JtJ of these pieces of all parts, without damping.
void lower_multigrid(ProgramBuilder& builder, const std::vector<PartExpressions>& pieces);

}  // namespace thallo
