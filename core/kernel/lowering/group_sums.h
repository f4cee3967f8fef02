// The kernels of Phase::GroupSums: for each residual group its cost, how many of its residuals
// count, and how many of its points are inliers (core/solve/group_sums.h). Private to lowering.
#pragma once

#include "core/kernel/lowering/program_builder.h"

namespace thallo {

// They are over the groups' own domains, whatever parts the plan has.
void lower_group_sums(ProgramBuilder& builder);

}  // namespace thallo
