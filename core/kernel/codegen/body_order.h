// The last step of code generation: BodyBuilder has made the values of a section, order_body
// decides which of them are needed under which conditions (body_conditions.h), in which sequence
// they run (body_sequence.h) and as which blocks. Items with equal conditions are put together, so
// that one branch skips the work under a false mask. Private to code generation.
#pragma once

#include "core/kernel/codegen/body_builder.h"

namespace thallo {

// Fills body.block from the scopes of the builder.
void order_body(BodyBuilder& builder);

}  // namespace thallo
