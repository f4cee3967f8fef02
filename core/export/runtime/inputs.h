// Checks of what a caller hands an exported solver. They throw std::invalid_argument with a
// sentence.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

namespace thallo {

void check_extent(std::string_view dim, std::int64_t extent);
// An array of no scalars may be null.
void check_array(std::string_view name, const void* array, std::int64_t num_scalars);
// The points of a map are tuples of coordinates, one for each of `extents`. Those of an optional
// map may begin with -1.
void check_map(std::string_view name, const std::int32_t* values, std::int64_t num_points,
               std::initializer_list<std::int64_t> extents, bool is_optional);
// Kernels count with 32 bits.
void check_sizes(std::initializer_list<std::int64_t> sizes);

// Returns the entries of a map, which are `width` coordinates each, at these points.
std::vector<std::int32_t> followed(const std::int32_t* map, int width,
                                   std::span<const std::int32_t> points);

inline bool is_in(std::int64_t index, std::int64_t extent) { return index >= 0 && index < extent; }

// Returns 0 where `b` is 0.
double ratio(std::int64_t a, std::int64_t b);

}  // namespace thallo
