#pragma once

// The CUDA texts of a program. No device is needed, and no CUDA types here.

#include <vector>

#include "core/backend/backend.h"
#include "core/backend/cuda/compile.h"
#include "core/kernel/generate.h"

namespace thallo::cuda {

// The texts of the program's kernels in order, then that of the dense solver if the program solves
// densely.
std::vector<Source> program_sources(const GeneratedProgram& generated,
                                    const CompileOptions& options, int index_bits);

// The registers and memory in it are those of the image (cubin.h).
CompiledKernel record_of(const KernelCode& code, const Source& source, const CachedImage& image);

}  // namespace thallo::cuda
