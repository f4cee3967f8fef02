#pragma once

// The steps of a phase made ready to be enqueued again and again: which function, how many blocks,
// and the words of its argument struct (core/kernel/arguments.h), for one bound instance.

#include <cuda.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "core/backend/cuda/dense.h"
#include "core/backend/cuda/libraries.h"
#include "core/backend/cuda/storage.h"
#include "core/kernel/code.h"

namespace thallo::cuda {

// A generated kernel, loaded.
struct LoadedKernel {
  CUfunction function = nullptr;
  int resident_blocks = 0;  // that fit on the device at once
};

struct BoundLaunch {
  CUfunction function = nullptr;
  unsigned int num_blocks = 0;
  unsigned int block_size = 0;
  std::vector<std::uint64_t> words;
  bool has_loop_condition = false;
  std::string label;
};
struct BoundClear {
  CUdeviceptr pointer = 0;
  std::size_t bytes = 0;
};
struct BoundDense {
  DenseSystem system;
};
struct BoundLibrary {
  const Libraries* libraries = nullptr;
  LibraryOp op;
  std::string label;
};
using BoundStep = std::variant<BoundLaunch, BoundClear, BoundDense, BoundLibrary>;

// The word of the argument struct that holds a graph's conditional handle.
inline constexpr std::size_t LoopHandleWord = 3;

// What a launch is bound to.
struct LaunchContext {
  const KernelProgram& program;
  const Storage& storage;
  const std::vector<double>& params;  // by FieldId
  CUdeviceptr arrivals = 0;           // a counter that is 0 between launches
  int block_size = 0;
  int index_bits = 0;
  bool double_precision = false;
  int num_multiprocessors = 0;
};

// A launch without blocks (no points, no epilogue) is left out by the caller.
BoundLaunch bind_launch(const LaunchContext& context, const KernelCode& code,
                        const LoadedKernel& kernel, const LaunchKernel& step);
BoundClear bind_clear(const Storage& storage, const ClearBuffer& step);
BoundDense bind_dense(const Storage& storage, const SolveDense& step);

// `dense` is needed for dense steps alone. Returns the number of kernels launched, one for an
// operation of a library.
int enqueue(const Stream& stream, const BoundStep& step, DenseSolver* dense);

}  // namespace thallo::cuda
