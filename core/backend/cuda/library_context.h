#pragma once

// The parts of the bound instance that SparseProducts and DenseProducts use.

#include <cuda.h>

#include "core/backend/cuda/device.h"
#include "core/backend/cuda/storage.h"
#include "core/kernel/library_ops.h"
#include "core/schedule/precision.h"

namespace thallo::cuda {

struct LibraryContext {
  const KernelProgram& program;
  const Storage& storage;
  const Stream& stream;
  Precision precision = Precision::Float;
  CUdeviceptr one = 0;  // the constants 1 and 0 in device memory, of the working type
  CUdeviceptr zero = 0;

  MatrixShape shape(std::size_t matrix) const {
    return shape_of(program, storage.sizes(), program.matrices[matrix]);
  }
  // The factor beta of y = A x + beta y: 1 for a step that adds to y, 0 for one that overwrites it.
  CUdeviceptr beta(bool adds) const { return adds ? one : zero; }
  CUdeviceptr buffer(std::size_t buffer) const { return storage.buffer(buffer).pointer(); }
};

// A device address as the pointer type that the libraries take.
template <class T>
T* device_pointer(CUdeviceptr pointer) {
  return reinterpret_cast<T*>(pointer);
}

}  // namespace thallo::cuda
