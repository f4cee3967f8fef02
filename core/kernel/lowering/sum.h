// A parallel Sum, whose values are stored. Private to lowering.
#pragma once

#include "core/kernel/lowering/program_builder.h"

namespace thallo {

// The kernel that stores the values of a parallel Sum, at X and at the trial point.
void lower_sum(ProgramBuilder& builder, const PlannedSum& sum);

// The field that Jp reads in place of p: p itself for an unknown; for a parallel Sum the product of
// its derivatives and p, which is computed in every linear iteration once it was asked for.
FieldId direction_of(ProgramBuilder& builder, FieldId unknown_or_sum);

}  // namespace thallo
