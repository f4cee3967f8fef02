#pragma once

// The dense linear solve on the device: (JtJ + D) x = b, all of the working type, solved in double.
//
// Excluded rows (free = 0) and empty rows (JtJ_ii = 0) are replaced by rows of the identity and get
// x = 0. The others are scaled to unit diagonal, factored by Cholesky and solved. When the matrix
// is not positive definite, or the solution is not finite, x = 0 and state.FailedBlocks is
// increased by one: the solver sees a step without decrease.
//
// Up to 64 unknowns the whole solve is one launch of one thread block (dense_text.h), the matrix in
// shared memory; above, cuSOLVER factors in a workspace of N*N doubles that is allocated when N is
// bound.

#include <cuda.h>
#include <cusolverDn.h>

#include <cstdint>
#include <string>

#include "core/backend/cuda/dense_text.h"
#include "core/backend/cuda/device.h"
#include "core/backend/cuda/memory.h"

namespace thallo::cuda {

struct DenseSystem {
  CUdeviceptr matrix = 0;   // N x N, row-major, symmetric
  CUdeviceptr damping = 0;  // N; null: none
  CUdeviceptr free = 0;     // N; 0 = excluded
  CUdeviceptr b = 0;        // N
  CUdeviceptr x = 0;        // N
};

class DenseSolver {
 public:
  explicit DenseSolver(Module module);  // of dense_source(), dense_text.h
  ~DenseSolver();
  DenseSolver(const DenseSolver&) = delete;
  DenseSolver& operator=(const DenseSolver&) = delete;

  // For N unknowns; fails when cuSOLVER is needed and absent, or out of memory.
  Expected<void> bind(const Stream& stream, std::int64_t num_unknowns);
  // Enqueues the solve of a system of that size.
  void solve(const Stream& stream, const DenseSystem& system);
  int num_launches() const { return large() ? 2 : 1; }  // of generated kernels

 private:
  Expected<void> bind_large(const Stream& stream, std::int64_t num_unknowns);
  bool large() const { return num_unknowns_ > MaxDenseBlockUnknowns; }

  Module module_;
  CUfunction solve_block_ = nullptr;
  CUfunction prepare_ = nullptr;
  CUfunction finish_ = nullptr;
  cusolverDnHandle_t handle_ = nullptr;
  std::int64_t num_unknowns_ = 0;
  int workspace_size_ = 0;  // doubles
  DeviceBuffer factor_, rhs_, workspace_, info_;
};

}  // namespace thallo::cuda
