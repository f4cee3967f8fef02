// Values that are computed in a branch and used outside it. They must be declared outside and are 0
// where the branch is not taken. Private to code generation.
#pragma once

#include <span>

#include "core/kernel/code.h"

namespace thallo {

// Fills IfItem::escapes in `block`, a block of `body`. `results` are used after its last item.
void find_escapes(CodeBlock& block, const CodeBody& body, std::span<const ValueId> results);

}  // namespace thallo
