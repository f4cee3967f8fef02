// Finds the values that are computed in a branch and used after it. They must be declared before
// the branch and are 0 where it is not taken. Private to code generation.
#pragma once

#include <span>

#include "core/kernel/code.h"

namespace thallo {

// Fills IfItem::escapes in `block`, a block of `body`. `results` are used after its last item.
void find_escapes(CodeBlock& block, const CodeBody& body, std::span<const ValueId> results);

}  // namespace thallo
