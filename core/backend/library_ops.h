#pragma once

// Library operations on the host: products with stored matrices (core/kernel/library_ops.h),
// computed by Eigen on one thread, in the type of the matrix.

#include "core/backend/host_memory.h"

namespace thallo {

void multiply(const KernelProgram& program, HostMemory& memory, const MultiplyMatrix& step);
void add_gram(const KernelProgram& program, HostMemory& memory, const AddGram& step);

}  // namespace thallo
