// The contents of a field that a text gives without a file: one number for all channels, or one
// each ("0,0,1"), zeros, ones, or a ramp (channel k is coordinate k of the element; ramp.0 its
// first coordinate alone).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/diagnostic.h"
#include "core/energy/binding.h"
#include "core/energy/energy.h"

namespace thallo {

// Whether it is one of these, hence no file.
bool is_value(std::string_view source);

// In the scalar type of the field; `full_scale` is what 1 is in a field of integers.
HostArray to_host(const Field& field, std::vector<double> values, double full_scale);

// `extents` are those of the energy's dims. Fails as well where memory does not hold the field.
Expected<HostArray> make_field_values(const Energy& energy, const Field& field,
                                      const std::vector<std::int64_t>& extents,
                                      std::string_view source);

// Why memory ran out: the largest input of those whose extents are known (not negative), with its
// bytes.
std::string out_of_memory_text(const Energy& energy, const std::vector<std::int64_t>& extents);

}  // namespace thallo
