// Makes the contents of a field from a text instead of a file: one number for all channels, or one
// for each ("0,0,1"), zeros, ones, a ramp (channel k is coordinate k of the element; ramp.0 is
// its first coordinate alone), or random numbers, which are the same ones for an input of the same
// name and size everywhere. Makes the indices of a sparse map in the same way.
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

// True if the text gives contents of a field or of a map in one of these ways; otherwise it names a
// file.
bool is_value(std::string_view source);

struct IntegerType {
  const char* name;
  double least, largest;
};
// Absent if the type is not an integer type.
std::optional<IntegerType> integer_type(ScalarType type);

// Returns the position of the first value that the integer type of the field cannot hold: one that
// is too large, or is no integer; absent if there is none or the field has a floating-point type.
std::optional<std::size_t> find_misfit(const Field& field, std::span<const double> values);

// Describes a misfit: "does not fit into 'M' (uint8), which holds integers from 0 to 255".
std::string misfit_text(const Field& field);

// Converts values to the type of the field. For an integer type, which must hold them, they are
// unchanged; for other types they are divided by `full_scale`.
HostArray to_host(const Field& field, std::vector<double> values, double full_scale);

// Returns the size of the field's values, which are made in double; 0 if an extent is unknown.
double host_bytes(const Field& field, const std::vector<std::int64_t>& extents);

// `extents` are those of the energy's dims. Also fails if memory cannot hold the field.
Expected<HostArray> make_field_values(const Energy& energy, const Field& field,
                                      const std::vector<std::int64_t>& extents,
                                      std::string_view source);

// Returns the indices of a map, in the order of Binding::set_map(), for "random" (each leads to any
// point) or "nearby" (each leads to a point whose place among all is about that of the point where
// the map is read). `extents` are those of the energy's dims. Also fails if memory cannot hold
// them.
Expected<std::vector<std::int32_t>> make_map_values(const SparseMap& map,
                                                    const std::vector<std::int64_t>& extents,
                                                    std::string_view source);

// Returns the message for an out-of-memory fault: it names the largest input whose extents are
// known (not negative), with its size.
std::string out_of_memory_text(const Energy& energy, const std::vector<std::int64_t>& extents);

}  // namespace thallo
