#pragma once

// Runs one kernel in double precision by interpreting its code item by item. Nothing is optimized
// and every memory access is checked. Tests compare other backends with it, and use it to test
// lowering on machines without a compiler.

#include <cstdint>
#include <functional>
#include <span>

#include "core/kernel/code.h"

namespace thallo {

// The memory and the sizes that a kernel uses. `field` returns the memory that a field is bound to
// in this launch.
struct InterpreterMemory {
  std::function<std::span<double>(FieldId)> field;
  std::function<std::span<const std::int32_t>(MapId)> map;
  std::function<std::int64_t(DimId)> extent;
  // Offsets in scalars: of an unknown within the unknown vector, and of a chunk within its field (0
  // if there are no chunks).
  std::function<std::int64_t(FieldId)> unknown_offset;
  std::function<std::int64_t(const LaterChunk&)> chunk_offset;
  std::int64_t num_matrix_rows = 0;
};

// Runs all points of all sections, then combines the reductions into the state, then runs the
// epilogue. The caller must have tested the gate.
void interpret(const KernelProgram& program, const KernelCode& code,
               const InterpreterMemory& memory);

}  // namespace thallo
