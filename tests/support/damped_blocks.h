// The options with which a program has everything that a linearization can have.
#pragma once

#include "core/kernel/lower.h"

namespace thallo::test {

inline const ProgramOptions damped_blocks{SolverKind::LevenbergMarquardt,
                                          block_jacobi_preconditioner(), pcg_solver()};

}  // namespace thallo::test
