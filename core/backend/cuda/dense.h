#pragma once

// The dense linear solve on the device: (JtJ + D) x = b. Matrix and vectors are of one type; the
// solve is in double.
//
// Excluded rows (free = 0) and empty rows (JtJ_ii = 0) are replaced by rows of the identity and get
// x = 0. The others are scaled to unit diagonal, factored by Cholesky and solved. When the matrix
// is not positive definite, or the solution is not finite, x = 0: the solver sees a step of length
// 0, and `failed` becomes 1, else 0.
//
// Up to 64 unknowns the whole solve is one launch of one thread block, with the
// matrix in shared memory. For more unknowns, up to 2048, a block makes a tile of 32 x 32 entries,
// or two beside the diagonal, as soon as those that it depends on are there, in a buffer of
// N (N + 1) doubles, which is allocated when N is bound. A library launches kernels for each panel
// of columns, which takes longer than such small systems do, but not for more unknowns, up to
// 46,000: there cuSOLVER factors.

#include <cuda.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "core/backend/cuda/bound_launch.h"
#include "core/backend/cuda/device.h"
#include "core/backend/cuda/library_cholesky.h"
#include "core/backend/cuda/memory.h"

namespace thallo::cuda {

inline constexpr int MaxDenseBlockUnknowns = 64;
inline constexpr int MaxDenseTiledUnknowns = 2048;

struct DenseSystem {
  CUdeviceptr matrix = 0;   // N x N, row-major, symmetric
  CUdeviceptr damping = 0;  // N; null means none
  CUdeviceptr free = 0;     // N; 0 = excluded
  CUdeviceptr b = 0;        // N
  CUdeviceptr x = 0;        // N
  CUdeviceptr failed = 0;   // a double
};

class DenseSolver {
 public:
  explicit DenseSolver(Module module);  // compiled from dense_source()
  DenseSolver(const DenseSolver&) = delete;
  DenseSolver& operator=(const DenseSolver&) = delete;

  // False if N needs cuSOLVER and there is none.
  static bool can_solve(std::int64_t num_unknowns);
  // Returns the bytes that it allocates for N unknowns, beside workspaces of cuSOLVER.
  static std::int64_t bytes(std::int64_t num_unknowns);
  // Prepares for N unknowns, which it can solve for. Fails if memory is short.
  Expected<void> bind(const Stream& stream, std::int64_t num_unknowns);
  // Returns the kernels that solve a system of the bound size, in order. If there is a library(),
  // it runs before the last one.
  std::vector<BoundLaunch> launches(const DenseSystem& system) const;
  // Null if no library is needed for the bound size.
  const LibraryCholesky* library() const { return library_.get(); }

 private:
  Expected<void> bind_large(const Stream& stream, std::int64_t num_unknowns);
  Expected<void> bind_library(const Stream& stream, std::int64_t num_unknowns);

  Module module_;
  CUfunction solve_block_ = nullptr;
  CUfunction prepare_ = nullptr;
  CUfunction prepare_columns_ = nullptr;
  CUfunction factor_tiles_ = nullptr;
  CUfunction finish_ = nullptr;
  CUfunction finish_columns_ = nullptr;
  std::int64_t num_unknowns_ = 0;
  DeviceBuffer factor_, progress_;
  std::unique_ptr<LibraryCholesky> library_;
};

}  // namespace thallo::cuda
