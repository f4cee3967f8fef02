// The kernel `jtf` of a part, which linearizes: b -= dF F (b = -JtF), d += dF^2 (the diagonal of
// JtJ), and, for block_jacobi, the preconditioner's blocks += dF dF of one element's channels. It
// scatters from residual points, or as `gather_jtf` gathers at the elements of the unknowns.
// Private to lowering.
#pragma once

#include "core/kernel/lowering/part_expressions.h"

namespace thallo {

// `also`: further statements at a residual point, the entries of a JtJ. They run only in a kernel
// that scatters, which is then called `jtf_jtj`, and in whose type all of it is computed.
void lower_jtf(ProgramBuilder& builder, const PartExpressions& e, Block also = {},
               ComputeType compute = ComputeType::Working);

}  // namespace thallo
