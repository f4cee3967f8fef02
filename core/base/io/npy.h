// NumPy arrays (.npy, format version 1.0): float32, float64 and int32, in C order. Thallo exchanges
// bulk data in this format.
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
  // One value per entry of the shape; the last dimension varies fastest.
  std::variant<std::vector<float>, std::vector<double>, std::vector<std::int32_t>> values;

  friend bool operator==(const NpyArray&, const NpyArray&) = default;
};

bool is_npy(std::string_view content);
Expected<NpyArray> parse_npy(const std::filesystem::path& name, std::string_view content);
Expected<NpyArray> read_npy(const std::filesystem::path& path);
Expected<void> write_npy(const std::filesystem::path& path, const NpyArray& array);

}  // namespace thallo
