#pragma once

// Products with CSR matrices by cuSPARSE's generic SpMV. At bind cuSPARSE analyzes each matrix once
// per direction (plain or transposed) to balance its rows; it keeps the result in a workspace of
// that matrix and direction and uses it for all vectors.

#include <cusparse.h>

#include <cstdint>
#include <map>
#include <memory>
#include <type_traits>
#include <utility>

#include "core/backend/cuda/library_context.h"
#include "core/backend/cuda/memory.h"

namespace thallo::cuda {

class SparseProducts {
 public:
  explicit SparseProducts(const Stream& stream);  // find_cusparse() must have succeeded
  ~SparseProducts();
  SparseProducts(const SparseProducts&) = delete;
  SparseProducts& operator=(const SparseProducts&) = delete;

  Expected<void> bind(const LibraryContext& context);  // fails if out of memory
  std::int64_t workspace_bytes() const;
  void multiply(const LibraryContext& context, const MultiplyMatrix& step) const;

 private:
  struct Destroy {
    void operator()(cusparseSpMatDescr_t matrix) const;
    void operator()(cusparseDnVecDescr_t vector) const;
  };
  using Matrix = std::unique_ptr<std::remove_pointer_t<cusparseSpMatDescr_t>, Destroy>;
  using Vector = std::unique_ptr<std::remove_pointer_t<cusparseDnVecDescr_t>, Destroy>;
  struct Operator {
    Matrix matrix;
    DeviceBuffer workspace;
  };

  static Matrix make_matrix(const LibraryContext& context, std::size_t matrix);
  void add_vector(const LibraryContext& context, std::size_t buffer);
  Expected<void> add_operator(const LibraryContext& context, const MultiplyMatrix& step);

  cusparseHandle_t handle_ = nullptr;
  std::map<std::pair<std::size_t, bool>, Operator> operators_;  // by matrix and is_transposed
  std::map<std::size_t, Vector> vectors_;                       // by buffer
};

}  // namespace thallo::cuda
