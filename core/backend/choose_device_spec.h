#pragma once

// Which spec predictions for a backend are made with: one that the user names, else the one that
// was measured on this device. Measured specs are kept in the folder `devices` of the kernel cache
// (kernel_cache.h), by the backend's signature.

#include <optional>
#include <string>
#include <string_view>

#include "core/backend/backend.h"
#include "core/cost/device_spec.h"

namespace thallo {

// The spec of a file, or the shipped one of a name ("h200" is assets/devices/h200.toml). A text
// with a '/' or the suffix .toml is a file. Of several, separated by commas, the first that is of
// the backend ("auto": of any). Fails when there is none, and when a file has a fault.
Expected<DeviceSpec> named_device_spec(const std::string& wanted, std::string_view backend);

// What the user names: `flag`, or the environment variable THALLO_DEVICE_SPEC when that is empty.
// Empty when neither names one.
std::string wanted_device_spec(const std::string& flag);

// The kept spec of the device with that backend and signature, which need not be there; absent when
// none is kept that can be read.
std::optional<DeviceSpec> kept_device_spec(std::string_view backend, const std::string& signature);
// The kept spec of the device; if there is none, it is measured now and kept.
Expected<DeviceSpec> measured_device_spec(Backend& backend);
// Measures even if a spec is kept, and replaces that.
Expected<DeviceSpec> calibrate_and_keep(Backend& backend);

}  // namespace thallo
