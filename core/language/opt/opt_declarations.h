#pragma once

// Inputs of Opt's dialect, each declared where it is named: Unknown("X", opt_float2, {W, H}, 0),
// Graph("G", 2, "v0", {N}, 3, "v1", {N}, 4).

#include <lua.hpp>

namespace thallo::language {

// Adds names to the table on the top of the stack, and the vertices to the members of graphs.
void add_opt_declarations(lua_State* state);

}  // namespace thallo::language
