#pragma once

// The globals of an energy text are three tables: the library (everything the language offers), in
// front of it the inputs, and in front of these the user's globals. A name found in none is a fault
// with a suggestion.

#include <string>

#include <lua.hpp>

namespace thallo::language {

class TextLoad;

// Fills the library, runs the prelude, and makes the user's table the globals of the interpreter.
void open_environment(TextLoad& load);

// Pops a value and makes it a global of the user.
void set_user_global(lua_State* state, const char* name);

// Pops a value and makes it the input of that name.
void set_input(lua_State* state, const char* name);
bool is_input(lua_State* state, const char* name);

// Pushes the table of everything that the language offers.
void push_library(lua_State* state);

bool is_language_name(lua_State* state, const std::string& name);

}  // namespace thallo::language
