// The last step of code generation: BodyBuilder has made the values of a section, order_body
// decides which of them are needed under which conditions (body_conditions.h), in which sequence
// they run (body_sequence.h) and as which blocks. Items with equal conditions are put together, so
// that one branch skips the work under a false mask. Private to code generation.
#pragma once

#include "core/kernel/codegen/body_builder.h"

namespace thallo {

// Fills body.block from the scopes of the builder.
void order_body(BodyBuilder& builder);

// True if the branches of the body guard enough work for their number and for the values that they
// hand on. Each of these is set to 0 before the branch and takes a register until its use, and no
// compiler moves work across a branch. Where conditions alternate, branches are opened again and
// again and hand on most of what they compute.
bool branches_pay(const CodeBody& body);

}  // namespace thallo
