#pragma once

// The memory that a step of a program works on.

#include <cstddef>
#include <set>

#include "core/kernel/generate.h"

namespace thallo {

struct StepMemory {
  // What the step changes, numbered over everything that steps may change: the unknowns, in the
  // order of program.unknowns, then the buffers, in the order of program.buffers. The solver state
  // is always included.
  std::set<std::size_t> changed;
  std::set<FieldId> fields;  // read or changed; whole buffers for library operations
  std::set<MapId> maps;      // that the step reads
};

// `step` must be a step of the generated program.
StepMemory memory_of(const GeneratedProgram& generated, const Step& step);

}  // namespace thallo
