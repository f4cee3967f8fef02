#pragma once

// Measures the rates and costs of a device with small kernels (kernels/calibrate.cu) and small
// graphs.

#include <string>

#include "core/backend/cuda/device.h"
#include "core/cost/device/device_spec.h"

namespace thallo::cuda {

// Takes about a second. `signature` is the backend's signature. Fails if memory is short or a
// driver refuses a graph.
Expected<DeviceSpec> calibrate(const Device& device, std::string signature);

}  // namespace thallo::cuda
