#pragma once

// What operations of libraries are bound to.

#include <cuda.h>

#include "core/backend/cuda/device.h"
#include "core/backend/cuda/storage.h"
#include "core/kernel/library_ops.h"

namespace thallo::cuda {

struct LibraryContext {
  const KernelProgram& program;
  const Storage& storage;
  const Stream& stream;
  bool double_precision = false;
  CUdeviceptr one = 0;  // scalars of the working type
  CUdeviceptr zero = 0;

  MatrixShape shape(std::size_t matrix) const {
    return shape_of(program, storage.sizes(), program.matrices[matrix]);
  }
  // Of y of a product: what is in memory counts where it adds.
  CUdeviceptr beta(bool adds) const { return adds ? one : zero; }
  CUdeviceptr buffer(std::size_t buffer) const { return storage.buffer(buffer).pointer(); }
};

// The libraries' own types for device memory.
template <class T>
T* device_pointer(CUdeviceptr pointer) {
  return reinterpret_cast<T*>(pointer);
}

}  // namespace thallo::cuda
