#pragma once

// Copies and inspects arrays of a program in device memory, whatever their strides and types.

#include <cuda.h>

#include <memory>

#include "core/backend/cuda/device.h"
#include "core/backend/device_arrays.h"
#include "core/energy/device_array.h"

namespace thallo::cuda {

class ArrayKernels {
 public:
  // Compiles and loads the kernels. Fails if they do not compile.
  static Expected<std::unique_ptr<const ArrayKernels>> load(const Device& device);

  // Enqueues a copy between arrays with equal numbers of values; each value is converted. Both
  // arrays must have passed check_array().
  void copy(CUstream stream, const DeviceArray& from, const DeviceArray& to) const;
  // Enqueues the inspection of an array: `facts` is the address of two zeros, to which it is added
  // (kernels/arrays.cu).
  void inspect(CUstream stream, const DeviceArrayQuery& query, CUdeviceptr facts) const;

 private:
  ArrayKernels(const Device& device, Module module);
  LaunchGrid grid_for(std::int64_t count) const;

  Module module_;
  unsigned int most_blocks_;
  CUfunction copy_;
  CUfunction inspect_;
};

// Fails, with the reason, unless all values lie in memory of this device at multiples of their
// size.
Expected<void> check_array(const Device& device, const DeviceArray& array);

// Makes `stream` wait for the work that the array's stream has been given so far.
void wait_for(CUstream stream, const DeviceArray& array);

}  // namespace thallo::cuda
