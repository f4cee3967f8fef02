#pragma once

// The text of the kernels that begin, time and end a batch (batch_marks.h). No CUDA types here.

#include "core/backend/cuda/compile.h"

namespace thallo::cuda {

// Kernels begin, mark and end; each runs as one block.
Source batch_source();

}  // namespace thallo::cuda
