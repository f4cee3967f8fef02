#pragma once

// Measures the rates and costs of the cpu backend on this machine. It times functions that are
// compiled as kernels are (kernels/calibrate.c) and run by as many threads as the machine has.

#include "core/backend/backend.h"
#include "core/backend/cpu/compile.h"

namespace thallo {

Expected<DeviceSpec> calibrate_cpu(Backend& cpu, const HostCompiler& compiler);

}  // namespace thallo
