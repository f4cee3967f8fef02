#pragma once

// The functions of the language that work on values, in groups; each group adds its names to the
// table on the top of the stack. Short formulas over these functions are written in Lua, in
// prelude.cpp.

#include <vector>

#include "core/language/call.h"

namespace thallo::language {

void add_math(lua_State* state);        // sqrt, sin, pow, Vector, Constant ...
void add_conditions(lua_State* state);  // less, eq, and_, Select, InBounds ...
void add_statements(lua_State* state);  // UsePreconditioner, Sum, ComputedArray ...
void add_residuals(lua_State* state);   // Residuals, huber, cauchy ...

// Adds the methods of expressions, vectors, indices, fields and sparse maps to their metatables.
void add_methods(lua_State* state);

// Returns the domains of a list of loop variables; anything else is a fault.
std::vector<DomainId> domain_list(Call& call, int i);
// Returns a condition; a number is a fault.
ExprId condition_argument(Call& call, int i);

}  // namespace thallo::language
