#pragma once

// Chooses the device spec for predictions: the one that the user names, or else the one measured on
// this device. Measured specs are kept in the folder `devices` of the kernel cache
// (kernel_cache.h), under the backend's signature.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/backend/backend.h"
#include "core/cost/device/device_spec.h"

namespace thallo {

// Reads a spec from a file, or the shipped spec of that name ("h200" is assets/devices/h200.toml).
// A text that contains '/' or ends in .toml is a file. If there are several, separated by commas,
// uses the first one for this backend ("auto": for any). Fails if there is none or if a file has a
// fault.
Expected<DeviceSpec> named_device_spec(const std::string& wanted, std::string_view backend);

// Returns the names of the shipped specs, sorted.
std::vector<std::string> shipped_specs();

// Returns the shipped spec by which a deterministic program for that backend is chosen where nobody
// names one: two measurements of one device differ.
Expected<DeviceSpec> shipped_device_spec(std::string_view backend);

// Returns what the user names: `flag` or, if that is empty, the environment variable
// THALLO_DEVICE_SPEC. Empty if neither names one.
std::string wanted_device_spec(const std::string& flag);

// Returns the kept spec for that backend and signature; the device itself need not be present.
// Absent if no readable spec is kept.
std::optional<DeviceSpec> kept_device_spec(std::string_view backend, const std::string& signature);
// Returns the kept spec of the device. If there is none, measures the device and keeps the result.
Expected<DeviceSpec> measured_device_spec(Backend& backend);
// Measures the device even if a spec is kept, and replaces the kept one.
Expected<DeviceSpec> calibrate_and_keep(Backend& backend);

}  // namespace thallo
