#pragma once

// The steps of a phase, prepared for one bound instance so that they can be enqueued repeatedly:
// the function, the number of blocks, and the words of the argument struct
// (core/kernel/arguments.h).

#include <cuda.h>

#include <cstddef>
#include <string>
#include <variant>
#include <vector>

#include "core/backend/cuda/bound_launch.h"
#include "core/backend/cuda/dense.h"
#include "core/backend/cuda/host_solve.h"
#include "core/backend/cuda/libraries.h"
#include "core/backend/cuda/storage.h"
#include "core/kernel/code.h"
#include "core/schedule/precision.h"

namespace thallo::cuda {

// A generated kernel, loaded.
struct LoadedKernel {
  CUfunction function = nullptr;
  int resident_blocks = 0;  // blocks that fit on the device at once
};

struct BoundClear {
  CUdeviceptr pointer = 0;
  std::size_t bytes = 0;
};
struct BoundDense {
  std::vector<BoundLaunch> launches;
  const LibraryCholesky* library = nullptr;  // runs before the last launch; null if none does
};
struct BoundLibrary {
  const Libraries* libraries = nullptr;
  LibraryOp op;
  std::string label;
};
struct BoundHostSolve {
  HostSolve* solve = nullptr;
  const Storage* storage = nullptr;
};
using BoundStep = std::variant<BoundLaunch, BoundClear, BoundDense, BoundLibrary, BoundHostSolve>;

// True for a solve by the host, which cannot be part of a graph.
inline bool is_host_solve(const BoundStep& step) {
  return std::holds_alternative<BoundHostSolve>(step);
}
// True for a step in which a library runs: a graph has it captured.
bool has_library(const BoundStep& step);
// Returns the kernels of a step, in order; none of what is no kernel, or has a library.
std::span<const BoundLaunch> kernels_of(const BoundStep& step);

// The word of the argument struct that holds a graph's conditional handle.
inline constexpr std::size_t LoopHandleWord = 3;

// The bound instance and the options, as bind_launch() needs them.
struct LaunchContext {
  const KernelProgram& program;
  const Storage& storage;
  const std::vector<double>& params;  // by FieldId
  CUdeviceptr arrivals = 0;           // a uint32 counter that is 0 between launches
  CUdeviceptr block_sums = 0;         // room for those of any launch
  int block_size = 0;
  int index_bits = 0;
  bool has_windows = true;  // as in EmitOptions
  Precision precision = Precision::Float;
  int num_multiprocessors = 0;
};

// Makes room for the sums of the blocks of any of a deterministic program's kernels, and enters it
// in the context.
Expected<void> reserve_block_sums(LaunchContext& context, std::span<const KernelCode> codes,
                                  std::span<const LoadedKernel> kernels, DeviceBuffer& sums);
// For a kernel without points and epilogue, num_blocks is 0; the caller must not launch it.
BoundLaunch bind_launch(const LaunchContext& context, const KernelCode& code,
                        const LoadedKernel& kernel, const LaunchKernel& step);
BoundClear bind_clear(const Storage& storage, const ClearBuffer& step);
BoundDense bind_dense(const Storage& storage, const DenseSolver& dense, const SolveDirect& step);

// Returns the launches of a step; 0 for a solve by the host.
int num_launches(const BoundStep& step);
// Enqueues one step. A solve by the host waits for the stream. Returns num_launches().
int enqueue(const Stream& stream, const BoundStep& step);

}  // namespace thallo::cuda
