// The kernels of a parallel Sum, whose values are stored. Private to lowering.
#pragma once

#include "core/kernel/lowering/program_builder.h"

namespace thallo {

// Makes the kernel that stores the values of a parallel Sum, at X and at the trial point.
void lower_sum(ProgramBuilder& builder, const PlannedSum& sum);

// What Jp reads in place of p. For an unknown it is p itself; for a parallel Sum it is the product
// of its derivatives and p, which the first call adds to every linear iteration.
ExprId read_direction(ProgramBuilder& builder, FieldId what, IndexId index, int channel);

}  // namespace thallo
