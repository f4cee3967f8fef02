// Mixed precision: unknowns, what is computed of them, residuals, cost and b = JtF are in double,
// preconditioners and the linear loop in the working precision, float. So the solve ends where one
// in double does, and what it does most often costs what it costs in float.
//
// Kernels of the linear loop, and those that fill what it reads, do not read fields in double
// themselves: that would move twice the bytes. They read copies that are rounded once a
// linearization, those of arrays once a solve.
#pragma once

namespace thallo {

class ProgramBuilder;

// Must be called after all kernels were added.
void mix_precision(ProgramBuilder& builder);

}  // namespace thallo
