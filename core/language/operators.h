#pragma once

// The Lua operators on values: arithmetic on expressions, vectors and indices, calls (X(i, j),
// v(0), W()), members (v[0], e:get) and the comparisons, which are refused, because Lua would turn
// their result into true or false while the text runs.

#include "core/language/call.h"

namespace thallo::language {

enum class Arithmetic { Add, Sub, Mul, Div, Pow };

// Applies one scalar operation of the graph.
ExprId apply(ExprGraph& graph, Arithmetic operation, ExprId a, ExprId b);

// Pushes the result of the operation on arguments 1 and 2, element by element; the result for
// indices is an index. negate does the same for argument 1.
int apply_arithmetic(Call& call, Arithmetic operation);
int negate(Call& call);

// Makes the metatable of every kind of value; each has a table of methods, still empty.
void make_metatables(TextLoad& load);

// Pushes the table of methods of a kind (a name in KindNames).
void push_methods(lua_State* state, const char* kind);

}  // namespace thallo::language
