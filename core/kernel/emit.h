#pragma once

// Emitters: readable C from KernelCode. One skeleton, two dialects. The text carries the role and
// slot names only (f0, m1, n0 ...), so equal kernels of different energies or schedules are the
// same text, and its hash is the canonical key.
//
// Launch interface. Every kernel takes one struct `Args` made of 8-byte words in this order (see
// ArgLayout), so that a host can pack it without knowing the kernel:
//   state pointer; gate slot (int64, -1 = none), gate value (double); loop handle (uint64, 0 =
//   none); one word per slots.fields (pointer, or double for a param); one per slots.maps; one
//   extent (int64) per slots.dims; one (int64) per slots.offsets; N (int64) if needed; one point
//   count (int64) per section; CUDA only: first block of each section (int64 each); magic
//   multipliers: for every section and every domain but the last, multiplier and shift (uint64
//   each); a pointer to an arrival counter (uint32) when there is an epilogue.
//
// Dialect C: two functions,
//   void <role>(const Args* a, int64_t section, int64_t begin, int64_t end, double* partial);   //
//   points [begin,end) of a section void <role>_epilogue(const Args* a); `partial` has one double
//   per reduction, combined by the caller over threads and into state before the epilogue.
//   Scattered fields are plain +=; a caller with several threads passes each its own copy.
// Dialect Cuda: extern "C" __global__ void <role>(const Args a); one thread a point, grid = sum of
// blocks over sections, block
//   reductions in double, one atomic per block and reduction, the last block to arrive runs the
//   epilogue.

#include <string>

#include "core/base/hash.h"
#include "core/kernel/code.h"

namespace thallo {

enum class Dialect { C, Cuda };

struct EmitOptions {
  Dialect dialect = Dialect::C;
  bool double_precision = false;  // the working type
  int index_bits = 32;            // 32 or 64
  int block_size = 256;           // CUDA threads per block
};

std::string emit(const KernelProgram& program, const KernelCode& code, const EmitOptions& options);

// The emitted text's hash together with dialect, precision, index width: equal keys are compiled
// once.
Hash128 canonical_key(const std::string& text, const EmitOptions& options);

}  // namespace thallo
