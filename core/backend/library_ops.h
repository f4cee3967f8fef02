#pragma once

// Library operations on the host, by Eigen: one thread, in the type of their matrix.

#include "core/backend/host_memory.h"

namespace thallo {

void multiply(const KernelProgram& program, HostMemory& memory, const MultiplyMatrix& step);
void add_gram(const KernelProgram& program, HostMemory& memory, const AddGram& step);

}  // namespace thallo
