#pragma once

// The library operations of a program (core/kernel/library_ops.h) on a device: sparse products by
// cuSPARSE, dense products by cuBLAS, on one stream. Each library is opened only for a program that
// needs it. Scalars lie on the device and workspaces are allocated at bind, so that an operation
// only launches kernels and clears memory and can be captured into a graph.

#include <memory>

#include "core/backend/cuda/library_context.h"
#include "core/schedule/precision.h"

namespace thallo::cuda {

class DenseProducts;
class SparseProducts;

class Libraries {
 public:
  // Null if the program has no matrices. Fails if a library is missing, and names it and the matrix
  // that needs it.
  static Expected<std::unique_ptr<Libraries>> open(const KernelProgram& program,
                                                   Precision precision, const Stream& stream);
  ~Libraries();

  // Allocates the workspaces for the matrices of this instance and runs every operation once,
  // because the first call of a library loads its kernels and that is not allowed during a capture.
  // The maps must be uploaded and the buffers clear. Fails when a matrix is too large for the
  // library or the device is out of memory.
  Expected<void> bind(const Storage& storage);
  std::int64_t workspace_bytes() const;

  // Enqueues an operation on the buffers of the last bind.
  void run(const LibraryOp& op) const;

 private:
  Libraries(const KernelProgram& program, Precision precision, const Stream& stream);

  const KernelProgram& program_;
  Precision precision_;
  const Stream& stream_;
  DeviceBuffer scalars_;  // 1, 0
  std::unique_ptr<LibraryContext> context_;
  std::unique_ptr<SparseProducts> sparse_;
  std::unique_ptr<DenseProducts> dense_;
};

}  // namespace thallo::cuda
