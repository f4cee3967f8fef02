#pragma once

// The CUDA texts of a program. No device is needed, and no CUDA types here.

#include <vector>

#include "core/backend/backend.h"
#include "core/backend/cuda/compile.h"
#include "core/kernel/generate.h"

namespace thallo::cuda {

// Returns the texts of the program's kernels in order, followed by the dense solver's if the
// program solves densely, or multigrid's if it has that.
std::vector<Source> program_sources(const GeneratedProgram& generated,
                                    const CompileOptions& options, int index_bits);

// Returns the record of a kernel; its registers and memory are read from the image (cubin.h).
CompiledKernel record_of(const KernelCode& code, const Source& source, const CachedImage& image);

}  // namespace thallo::cuda
