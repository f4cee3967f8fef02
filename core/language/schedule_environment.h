#pragma once

// The globals of a schedule file. No name needs a declaration: r is the energy, and any other name
// stands for whatever has that name in the energy.

#include <string>
#include <string_view>

namespace thallo::language {

class Session;

void open_schedule_environment(Session& session);

// Names that are content hashes, %3fa1, are no names in Lua. Outside of strings and comments, this
// replaces them by names in Lua that mean the same in the environment; lines keep their numbers.
std::string to_lua_names(std::string_view text);
// The inverse, for messages.
std::string from_lua_names(std::string_view text);

}  // namespace thallo::language
