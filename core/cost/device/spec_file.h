#pragma once

// Device specs as TOML files. Each field of the table (spec_fields.h) is a key:
//
//   name = "NVIDIA H200"
//   copy = 4.2e12                            # numbers are in bytes, seconds and their quotients
//   gather = [[3145728, 3.7e12], [33554432, 2.5e12]]   # curves are pairs [size, rate]

#include <filesystem>
#include <string>
#include <string_view>

#include "core/base/diagnostic.h"
#include "core/cost/device/device_spec.h"

namespace thallo {

// Fails, with the line, if a key is not in the table, a field is missing or has the wrong type, a
// number must be positive and is not, or a curve is invalid.
Expected<DeviceSpec> read_device_spec(const std::filesystem::path& path);

// Like read_device_spec(), for the text of such a file; `name` stands for the file in errors.
Expected<DeviceSpec> parse_device_spec(std::string_view text, const std::filesystem::path& name);

// Returns a text that parse_device_spec() reads back exactly. Comments give each field's unit and
// meaning.
std::string device_spec_text(const DeviceSpec& spec);
Expected<void> write_device_spec(const DeviceSpec& spec, const std::filesystem::path& path);

}  // namespace thallo
