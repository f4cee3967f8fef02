#pragma once

// Products with dense matrices by cuBLAS: GEMV with a J, SYMV with a symmetric JtJ, and SYRK, which
// forms JtJ from J. SYRK sums all rows of a tile of JtJ sequentially. The JtJ of a tall J has few
// tiles, so such a J is cut into chunks of rows, whose products are formed in parallel and then
// summed. cuBLAS is allowed to sum with atomics, since SYMV is several times slower without them.

#include <cublas_v2.h>

#include <cstdint>
#include <map>

#include "core/backend/cuda/library_context.h"
#include "core/backend/cuda/memory.h"

namespace thallo::cuda {

class DenseProducts {
 public:
  explicit DenseProducts(const Stream& stream);  // find_cublas() must have succeeded
  ~DenseProducts();
  DenseProducts(const DenseProducts&) = delete;
  DenseProducts& operator=(const DenseProducts&) = delete;

  Expected<void> bind(const LibraryContext& context);  // fails if out of memory
  std::int64_t workspace_bytes() const;
  void multiply(const LibraryContext& context, const MultiplyMatrix& step) const;
  void add_gram(const LibraryContext& context, const AddGram& step) const;

 private:
  // J is n_rows x n_cols; column after column.
  struct ChunkedGram {
    int num_chunks = 1;
    DeviceBuffer products;  // of each chunk, n_cols x n_cols
    DeviceBuffer ones;      // num_chunks ones, with which a GEMV sums the products
  };
  Expected<void> add_chunks(const LibraryContext& context, const AddGram& step);
  template <class Real>
  void add_chunked_gram(const LibraryContext& context, const AddGram& step,
                        const ChunkedGram& gram) const;

  cublasHandle_t handle_ = nullptr;
  DeviceBuffer workspace_;
  std::map<std::size_t, ChunkedGram> grams_;  // by the number of J
};

}  // namespace thallo::cuda
