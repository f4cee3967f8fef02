#pragma once

// The CUDA texts of a program, and those of kernels/, which the build embeds. No device is needed,
// and no CUDA types here.

#include <string>
#include <string_view>
#include <vector>

#include "core/backend/backend.h"
#include "core/backend/cuda/compile.h"
#include "core/kernel/generate.h"

namespace thallo::cuda {

// Returns the texts of the program's kernels in order, followed by the dense solver's if the
// program solves densely, by multigrid's if it has that, or by that of the iterations of a batch.
std::vector<Source> program_sources(const GeneratedProgram& generated,
                                    const CompileOptions& options, int index_bits,
                                    bool has_windows = true);

// Returns the text of kernels/NAME.cu, behind such definitions and kernels/wait.cu.
Source own_source(const std::string& name, std::string_view definitions = {});
// Returns that of the dense solver (dense.h) for a matrix and vectors of type `real`.
Source dense_source(ScalarType real);
// Returns "float" or "double".
std::string_view real_name(ScalarType type);

// Returns the record of a kernel; its registers and memory are read from the image (cubin.h).
CompiledKernel record_of(const KernelCode& code, const Source& source, const CachedImage& image);

}  // namespace thallo::cuda
