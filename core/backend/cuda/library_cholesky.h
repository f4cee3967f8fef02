#pragma once

// The Cholesky factorization of a large dense matrix, and a solve with it, by cuSOLVER on a stream.
// Workspaces are allocated at bind, so that run() can be captured into a graph.

#include <cuda.h>
#include <cusolverDn.h>

#include <cstdint>

#include "core/backend/cuda/device.h"
#include "core/backend/cuda/memory.h"

namespace thallo::cuda {

class LibraryCholesky {
 public:
  // What it works on; all are on the device.
  struct Arrays {
    int n = 0;
    int stride = 0;          // doubles from a column of the matrix to the next
    CUdeviceptr matrix = 0;  // column after column; of the lower triangle, and then its factor
    CUdeviceptr x = 0;       // n doubles: b, and then the solution
    CUdeviceptr infos = 0;   // two ints of LAPACK: > 0 if the matrix is not positive definite, 0
  };

  explicit LibraryCholesky(const Stream& stream);  // find_cusolver() must have succeeded
  ~LibraryCholesky();
  LibraryCholesky(const LibraryCholesky&) = delete;
  LibraryCholesky& operator=(const LibraryCholesky&) = delete;

  // Allocates workspaces, and runs once, because the first call of a library loads its kernels and
  // that is not allowed during a capture. Fails if memory is short.
  Expected<void> bind(const Arrays& arrays);
  void run() const;
  std::size_t workspace_bytes() const { return workspace_.bytes(); }

 private:
  cusolverDnHandle_t handle_ = nullptr;
  Arrays arrays_;
  DeviceBuffer workspace_;
};

}  // namespace thallo::cuda
