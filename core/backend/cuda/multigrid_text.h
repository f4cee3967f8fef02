#pragma once

// The CUDA text of the multigrid preconditioner (multigrid.h). No CUDA types here.

#include "core/backend/cuda/compile.h"
#include "core/kernel/program.h"
#include "core/schedule/precision.h"

namespace thallo::cuda {

inline constexpr int MultigridBlockSize = 512;
inline constexpr int MultigridBlocksPerUnit = 2;
inline constexpr int MaxGridLevels = 32;

// Returns the text with the kernels multigrid_build and multigrid_cycle, for a program that has
// multigrid.
Source multigrid_source(const KernelProgram& program, Precision precision);

}  // namespace thallo::cuda
