#pragma once

// The text of the calibration kernels (calibrate.h). No CUDA types here.

#include "core/backend/cuda/compile.h"

namespace thallo::cuda {

Source calibration_source();

}  // namespace thallo::cuda
