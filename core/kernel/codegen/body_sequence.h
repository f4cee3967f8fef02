// The sequence in which the items of a scope run: operands before users, loads before the stores
// that overwrite them, and items under equal conditions together, so that one branch skips them.
// Private to code generation.
#pragma once

#include "core/kernel/codegen/body_items.h"

namespace thallo {

struct BodySequence {
  std::vector<std::size_t> order;  // of the live items
  std::vector<Atoms> paths;        // of every item: its conditions, the outermost branch first
};

BodySequence sequence_of(const BodyItems& items);

}  // namespace thallo
