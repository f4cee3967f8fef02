#pragma once

// The text of the kernels for arrays of a program in device memory (array_kernels.h), and their
// arguments. No CUDA types here.

#include <cstdint>

#include "core/backend/cuda/compile.h"
#include "core/energy/device_array.h"

namespace thallo::cuda {

inline constexpr unsigned int ArrayBlockSize = 256;
inline constexpr int MaxArrayRank = 8;

// An array as kernels see it. Neighbouring extents that have a common stride are one.
struct ArrayLayout {
  std::uint64_t address = 0;
  std::int64_t type = 0;  // the value of ScalarType
  std::int64_t rank = 0;
  std::int64_t extents[MaxArrayRank] = {};
  std::int64_t strides[MaxArrayRank] = {};
};

// Fails if the array has more extents with strides of their own than kernels take.
Expected<ArrayLayout> layout_of(const DeviceArray& array);

// Copies values in order, and converts them.
struct CopyArgs {
  ArrayLayout from, to;
  std::int64_t count = 0;
};
// Adds to facts[0] the fingerprint of the values, and to facts[1] the number of those that are
// NaN, larger than `largest` or part of a pose whose quaternion is not of length 1.
struct InspectArgs {
  ArrayLayout array;
  std::int64_t count = 0;
  double least = 0, largest = 0;
  std::int64_t needs_integers = 0;  // 1 if a value that is no integer is unusable
  std::int64_t allows_nan = 0;      // 1 if a NaN is usable
  double quaternion_tolerance = 0;  // 0 if the values are no poses
  std::uint64_t facts = 0;          // the address of two uint64
};

// The kernels "copy" and "inspect".
Source array_source();

}  // namespace thallo::cuda
