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
#include "core/cost/device_spec.h"

namespace thallo {

// Fails, with the line, on a key that is not in the table, on a field that is missing or of another
// type, on a number that is not positive where it must be, and on a curve with a fault.
Expected<DeviceSpec> read_device_spec(const std::filesystem::path& path);

// The same of the text of such a file; `name` stands for the file in errors.
Expected<DeviceSpec> parse_device_spec(std::string_view text, const std::filesystem::path& name);

// The text that parse_device_spec() reads back exactly; each field has its unit and what it is as a
// comment.
std::string device_spec_text(const DeviceSpec& spec);
Expected<void> write_device_spec(const DeviceSpec& spec, const std::filesystem::path& path);

}  // namespace thallo
