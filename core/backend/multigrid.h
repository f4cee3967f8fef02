#pragma once

// The multigrid preconditioner on the host (core/kernel/multigrid.h), on one thread, in the type of
// the levels' memory.

#include "core/backend/host_memory.h"

namespace thallo {

void run_multigrid(const KernelProgram& program, HostMemory& memory, RunMultigrid::Pass pass);

}  // namespace thallo
