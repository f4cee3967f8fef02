#pragma once

// Runs one kernel in double precision by walking its code, item by item. Nothing is optimized and
// every memory access is checked: this is the oracle that tests lowering without a compiler.

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/kernel/code.h"

namespace thallo {

// What a kernel sees. `field` gives the memory a field is bound to at this launch.
struct InterpreterMemory {
  std::function<std::span<double>(FieldId)> field;
  std::function<std::span<const std::int32_t>(MapId)> map;
  std::function<std::int64_t(DimId)> extent;
  std::function<std::int64_t(FieldId)> unknown_offset;  // of an unknown in the unknown vector
  std::function<std::int64_t(const LaterChunk&)> chunk_offset;  // in its field; 0 for none
  std::int64_t num_unknowns = 0;
};

void interpret(const KernelProgram& program, const KernelCode& code,
               const InterpreterMemory& memory);

}  // namespace thallo
