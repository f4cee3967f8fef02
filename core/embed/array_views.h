// Arrays of a program, on the host and on a device.
#pragma once

#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "core/energy/energy.h"

namespace thallo {

using ArrayView =
    std::variant<std::span<double>, std::span<float>, std::span<std::int32_t>,
                 std::span<std::uint8_t>, std::span<const double>, std::span<const float>,
                 std::span<const std::int32_t>, std::span<const std::uint8_t>>;

// The extents of an array's dims, as the energy lists them: the first dimension varies fastest in
// memory. Channels are not among them.
using Shape = std::vector<std::int64_t>;

// An array in the memory of a device.
struct DeviceView {
  std::uintptr_t address = 0;           // what cudaMalloc() returns, which is a CUdeviceptr
  ScalarType type = ScalarType::Float;  // Float, Double, Int32 or UInt8
  // The distances between neighbors along each dim, then between channels, counted in values.
  // They are empty if the values are adjacent, in the order of an array on the host.
  std::vector<std::int64_t> strides = {};
  // The CUstream whose work is waited for before the array is read; 0 is the default stream. When a
  // call returns it has used the array, whatever the stream.
  std::uintptr_t stream = 0;
  bool is_constant = false;  // true if no solution may be written into it
};

}  // namespace thallo
