#pragma once

// Dims, types and inputs: Dims("W", "H"), Dim("W", 0), float3, Inputs { X = Unknown(...), ... }.

#include <string>
#include <vector>

#include "core/language/call.h"

namespace thallo::language {

// Both add names to the table on the top of the stack.
void add_types(lua_State* state);
void add_declarations(lua_State* state);

// What both dialects declare alike. Anything else in the place of an argument is a fault.
void require_new_dim(Call& call, const std::string& name);  // no dim of the text has the name
// Returns the entries of {W, H}, or the dim W; `meaning` names the list in messages.
std::vector<DimId> dim_list(Call& call, int i, const char* meaning);
int optional_slot(Call& call, int i);  // -1 without the argument
// Read the arguments from `first` on: [type,] {dims} [, slot], and [type] [, slot]. The dims may be
// as many arguments without braces.
Declaration field_declaration(Call& call, int first, Declaration::Kind kind, int num_bare_dims = 0);
Declaration param_declaration(Call& call, int first);
// Returns what the name of an input stands for.
Value declare_input(Call& call, const std::string& name, const Declaration& declared);

}  // namespace thallo::language
