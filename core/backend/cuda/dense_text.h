#pragma once

// The text of the dense solver's kernels: `dense_solve` for up to 64 unknowns; `dense_prepare`,
// `dense_factor` and `dense_finish`, one after the other, for more. dense.h says what they compute.
// No CUDA types here.

#include "core/backend/cuda/compile.h"
#include "core/energy/energy.h"

namespace thallo::cuda {

inline constexpr int MaxDenseBlockUnknowns = 64;
inline constexpr int MaxDenseTiledUnknowns = 2048;

// The kernels for a matrix and vectors of type `real` (Float or Double).
Source dense_source(ScalarType real);

}  // namespace thallo::cuda
