#pragma once

// Dims, types and inputs: Dims("W", "H"), Dim("W", 0), float3, Inputs { X = Unknown(...), ... }.

#include "core/language/call.h"

namespace thallo::language {

// Both add names to the table on the top of the stack.
void add_types(lua_State* state);
void add_declarations(lua_State* state);

}  // namespace thallo::language
