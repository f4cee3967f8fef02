#pragma once

// The library operations of a program (core/kernel/library_ops.h) on a device: sparse products by
// cuSPARSE, dense ones by cuBLAS, on one stream. Both are opened when a program needs them. Scalars
// lie on the device and workspaces are allocated at bind, so that an operation can be captured into
// a graph: it does nothing but launch kernels and clear memory.

#include <memory>

#include "core/backend/cuda/library_context.h"

namespace thallo::cuda {

class DenseProducts;
class SparseProducts;

class Libraries {
 public:
  // Null when the program needs none. Fails, naming what is missing and the matrix that needs it.
  static Expected<std::unique_ptr<Libraries>> open(const KernelProgram& program,
                                                   bool double_precision, const Stream& stream);
  ~Libraries();

  // For the matrices of this instance, whose maps are uploaded and whose buffers are clear: makes
  // workspaces and runs every operation once, since the first call of a library loads its kernels,
  // which no capture may. Fails when a matrix is too large for the library or the device out of
  // memory.
  Expected<void> bind(const Storage& storage);
  std::int64_t workspace_bytes() const;

  // Enqueues. The buffers are those of the last bind.
  void run(const LibraryOp& op) const;

 private:
  Libraries(const KernelProgram& program, bool double_precision, const Stream& stream);

  const KernelProgram& program_;
  bool double_precision_;
  const Stream& stream_;
  DeviceBuffer scalars_;  // 1, 0
  std::unique_ptr<LibraryContext> context_;
  std::unique_ptr<SparseProducts> sparse_;
  std::unique_ptr<DenseProducts> dense_;
};

}  // namespace thallo::cuda
