// NumPy arrays (.npy): booleans, integers and floating-point numbers of every size up to 64 bits,
// of either byte order, in C or Fortran order. Thallo exchanges bulk data in this format.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>
#include <variant>
#include <vector>

#include "core/base/diagnostic.h"

namespace thallo {

struct NpyArray {
  std::vector<std::int64_t> shape;  // empty for a scalar
  // One value for each entry of the shape; the last dimension varies fastest. Other types are read
  // into the smallest of these types that can hold them.
  std::variant<std::vector<float>, std::vector<double>, std::vector<std::int32_t>,
               std::vector<std::int64_t>, std::vector<std::uint64_t>>
      values;

  friend bool operator==(const NpyArray&, const NpyArray&) = default;
};

bool is_npy(std::string_view content);
Expected<NpyArray> parse_npy(const std::filesystem::path& name, std::string_view content);
Expected<void> write_npy(const std::filesystem::path& path, const NpyArray& array);

}  // namespace thallo
