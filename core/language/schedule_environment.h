#pragma once

// The globals of a schedule file: every name is what it says.

#include <string>
#include <string_view>

namespace thallo::language {

class Session;

void open_schedule_environment(Session& session);

// Names that are content hashes, %3fa1, are no names in Lua. Outside of texts and comments they
// become names that are, which mean the same in the environment; lines stay where they are.
std::string to_lua_names(std::string_view text);
// Back, in messages.
std::string from_lua_names(std::string_view text);

}  // namespace thallo::language
