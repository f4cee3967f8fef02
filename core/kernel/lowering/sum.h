// The kernels of a parallel Sum, whose values are stored. Private to lowering.
#pragma once

#include "core/kernel/lowering/program_builder.h"

namespace thallo {

// Makes the kernel that stores the values of a parallel Sum, at X and at the trial point.
void lower_sum(ProgramBuilder& builder, const PlannedSum& sum);

// The field that Jp reads in place of p. For an unknown it is p itself; for a parallel Sum it is
// the product of the Sum's derivatives and p, which the first call adds to every linear iteration.
FieldId direction_of(ProgramBuilder& builder, FieldId unknown_or_sum);

}  // namespace thallo
