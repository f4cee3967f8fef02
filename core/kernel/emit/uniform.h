// What of a body is the same at every point: it is made of the state, params and constants alone.
// Private to emission.
#pragma once

#include <vector>

#include "core/kernel/code.h"

namespace thallo {

// The uniform branches of the body's block and the uniform values above them, in order, if there is
// a branch. Compilers take uniform values out of a loop by themselves, but not branches.
std::vector<const CodeItem*> uniform_items(const KernelProgram& program, const CodeBody& body);

}  // namespace thallo
