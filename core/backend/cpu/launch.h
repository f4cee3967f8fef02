// Makes launches of a program's kernels in the memory of a bound instance.
#pragma once

#include "core/backend/cpu/point_launch.h"
#include "core/backend/host_executable.h"

namespace thallo {

// True if the kernel does nothing with the fields that it scatters to but add to them.
bool adds_apart(const KernelCode& code);

PointLaunch bind_launch(const KernelProgram& program, const KernelCode& code,
                        const LaunchKernel& step, const HostKernel& kernel,
                        const HostMemory& memory, int num_threads);

}  // namespace thallo
