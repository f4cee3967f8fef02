#include "core/export/runtime/inputs.h"

#include <limits>
#include <stdexcept>
#include <string>

namespace thallo {
namespace {

[[noreturn]] void refuse(const std::string& what) { throw std::invalid_argument(what); }

std::string quoted(std::string_view name) {
  std::string text(1, '\'');
  text.append(name);
  text += '\'';
  return text;
}

}  // namespace

void check_extent(std::string_view dim, std::int64_t extent) {
  if (extent < 0)
    refuse("the extent of " + quoted(dim) + " is " + std::to_string(extent) + ", must be >= 0");
}

void check_array(std::string_view name, const void* array, std::int64_t num_scalars) {
  if (array == nullptr && num_scalars > 0) refuse(quoted(name) + " is null");
}

void check_map(std::string_view name, const std::int32_t* values, std::int64_t num_points,
               std::initializer_list<std::int64_t> extents, bool is_optional) {
  check_array(name, values, num_points);
  for (std::int64_t point = 0; point < num_points; ++point) {
    const bool is_missing = is_optional && *values == -1;
    for (const std::int64_t extent : extents) {
      const std::int32_t value = *values++;
      if (is_missing || (value >= 0 && value < extent)) continue;
      refuse("entry " + std::to_string(point) + " of map " + quoted(name) + " is " +
             std::to_string(value) + ", must be from 0 to " + std::to_string(extent - 1));
    }
  }
}

void check_sizes(std::initializer_list<std::int64_t> sizes) {
  for (const std::int64_t size : sizes) {
    if (size > std::numeric_limits<std::int32_t>::max()) {
      refuse("the data have " + std::to_string(size) +
             " numbers in one array, which is too many for kernels that count with 32 bits");
    }
  }
}

std::vector<std::int32_t> followed(const std::int32_t* map, int width,
                                   std::span<const std::int32_t> points) {
  std::vector<std::int32_t> table;
  table.reserve(points.size() * static_cast<std::size_t>(width));
  for (const std::int32_t point : points)
    table.insert(table.end(), map + std::int64_t{point} * width,
                 map + (std::int64_t{point} + 1) * width);
  return table;
}

double ratio(std::int64_t a, std::int64_t b) {
  return b > 0 ? static_cast<double>(a) / static_cast<double>(b) : 0;
}

}  // namespace thallo
