#pragma once

// Products with dense matrices by cuBLAS: GEMV with a J, SYMV with a symmetric JtJ, and SYRK, which
// forms JtJ from J. cuBLAS may sum with atomics, since SYMV is several times slower without them.

#include <cublas_v2.h>

#include <cstdint>

#include "core/backend/cuda/library_context.h"
#include "core/backend/cuda/memory.h"

namespace thallo::cuda {

class DenseProducts {
 public:
  explicit DenseProducts(const Stream& stream);  // find_cublas() must have succeeded
  ~DenseProducts();
  DenseProducts(const DenseProducts&) = delete;
  DenseProducts& operator=(const DenseProducts&) = delete;

  Expected<void> bind();  // fails when out of memory
  std::int64_t workspace_bytes() const { return static_cast<std::int64_t>(workspace_.bytes()); }
  void multiply(const LibraryContext& context, const MultiplyMatrix& step) const;
  void add_gram(const LibraryContext& context, const AddGram& step) const;

 private:
  cublasHandle_t handle_ = nullptr;
  DeviceBuffer workspace_;
};

}  // namespace thallo::cuda
