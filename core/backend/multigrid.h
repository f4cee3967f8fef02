#pragma once

// The multigrid preconditioner on the host (core/kernel/multigrid.h), in the type of the levels'
// memory. How many threads run its parts changes no bit of what it computes.

#include <functional>
#include <memory>

#include "core/backend/host_memory.h"

namespace thallo {

// Calls task(0) ... task(num_parts - 1), each once, on any thread. The tasks do not throw.
using RunParts = std::function<void(int num_parts, const std::function<void(int)>& task)>;

// For one bound instance.
class HostMultigrid {
 public:
  virtual ~HostMultigrid() = default;
  virtual void run(RunMultigrid::Pass pass) = 0;
};

// Program and memory must outlive the result.
std::unique_ptr<HostMultigrid> make_host_multigrid(const KernelProgram& program, HostMemory& memory,
                                                   RunParts run_parts);

}  // namespace thallo
