// The contents of a field that a text gives without a file: one number for all channels, or one
// each ("0,0,1"), zeros, ones, or a ramp (channel k is coordinate k of the element; ramp.0 its
// first coordinate alone).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/diagnostic.h"
#include "core/energy/binding.h"
#include "core/energy/energy.h"

namespace thallo {

// Whether the text gives contents in one of these ways; else it names a file.
bool is_value(std::string_view source);

// Where the first value stands which, rounded, the integer type of the field does not hold; absent
// if there is none, or if the field is of a floating-point type.
std::optional<std::size_t> find_misfit(const Field& field, std::span<const double> values);

// "does not fit into 'M' (uint8), which holds 0 to 255", for a value of the above.
std::string misfit_text(const Field& field);

// The values as the field is bound to them: in its type, times `full_scale`, rounded and clamped,
// if that is an integer type, else as they are.
HostArray to_host(const Field& field, std::vector<double> values, double full_scale);

// `extents` are those of the energy's dims. Fails as well if memory does not hold the field.
Expected<HostArray> make_field_values(const Energy& energy, const Field& field,
                                      const std::vector<std::int64_t>& extents,
                                      std::string_view source);

// The message after memory ran out: names the largest of the inputs whose extents are known (not
// negative), with its size.
std::string out_of_memory_text(const Energy& energy, const std::vector<std::int64_t>& extents);

}  // namespace thallo
