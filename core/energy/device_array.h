#pragma once

// An array that lies in the memory of a device and belongs to the program that embeds Thallo. Only
// a backend can read it (core/backend/device_arrays.h).

#include <cstdint>
#include <functional>
#include <numeric>
#include <vector>

#include "core/energy/energy.h"

namespace thallo {

struct DeviceArray {
  std::uintptr_t address = 0;           // CUdeviceptr, which is what cudaMalloc() returns
  ScalarType type = ScalarType::Float;  // Float, Double, Int32 or UInt8
  // The number of channels, then the extents of the dims, the first of which varies fastest.
  std::vector<std::int64_t> extents;
  // The distance in memory from a value to the next one along each of the extents, in values.
  std::vector<std::int64_t> strides;
  // The CUstream whose work the array waits for before it is read; 0 means the default stream.
  std::uintptr_t stream = 0;

  // Returns an array whose values are adjacent, in the order of a HostArray.
  static DeviceArray dense(std::uintptr_t address, ScalarType type,
                           std::vector<std::int64_t> extents, std::uintptr_t stream = 0) {
    DeviceArray array{address, type, std::move(extents), {}, stream};
    array.strides = dense_strides(array.extents);
    return array;
  }

  std::int64_t num_values() const {
    return std::accumulate(extents.begin(), extents.end(), std::int64_t{1}, std::multiplies<>());
  }
  // True if the values are adjacent, in the order of a HostArray.
  bool is_dense() const {
    std::int64_t stride = 1;
    for (std::size_t i = 0; i < extents.size(); ++i) {
      if (extents[i] != 1 && strides[i] != stride) return false;
      stride *= extents[i];
    }
    return true;
  }

  friend bool operator==(const DeviceArray&, const DeviceArray&) = default;

 private:
  static std::vector<std::int64_t> dense_strides(const std::vector<std::int64_t>& extents) {
    std::vector<std::int64_t> strides;
    std::int64_t stride = 1;
    for (const std::int64_t extent : extents) {
      strides.push_back(stride);
      stride *= extent;
    }
    return strides;
  }
};

}  // namespace thallo
