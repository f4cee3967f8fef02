#pragma once

// The memory that a step of a program works on.

#include <cstddef>
#include <set>

#include "core/kernel/generate.h"

namespace thallo {

struct StepMemory {
  // What it changes, of all that steps may change: the unknowns, as program.unknowns, then the
  // buffers, as program.buffers. The solver state is always among them.
  std::set<std::size_t> changed;
  std::set<FieldId> fields;  // that it reads or changes; of library operations, whole buffers
  std::set<MapId> maps;      // that it reads
};

// `step` is one of the generated program.
StepMemory memory_of(const GeneratedProgram& generated, const Step& step);

}  // namespace thallo
