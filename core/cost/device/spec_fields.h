#pragma once

// The fields of a DeviceSpec as a table. Reading, writing and printing a spec use it, so that a new
// field is added to the struct and to the table and nowhere else.

#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "core/cost/device/device_spec.h"

namespace thallo {

struct SpecField {
  std::string_view name;  // name of the member, and the key in files
  std::string_view unit;  // "B/s", "/s", "flop/s", "B", "s"; empty for texts and counts
  std::string_view doc;   // for a curve: the meaning of its sizes
  std::variant<std::string DeviceSpec::*, double DeviceSpec::*, RateCurve DeviceSpec::*> member;
  bool may_be_empty = false;  // a text may be empty, a number zero
};

// Returns the fields in the order of the struct.
std::span<const SpecField> spec_fields();

}  // namespace thallo
