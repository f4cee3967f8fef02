#pragma once

// The text of the dense solver's kernels: `dense_solve` for up to 64 unknowns, `dense_prepare` and
// `dense_finish` round cuSOLVER for more (dense.h says what they compute). No CUDA types here.

#include "core/backend/cuda/compile.h"
#include "core/energy/energy.h"

namespace thallo::cuda {

inline constexpr int MaxDenseBlockUnknowns = 64;

// For a matrix and vectors of this type (Float or Double).
Source dense_source(ScalarType real);

}  // namespace thallo::cuda
