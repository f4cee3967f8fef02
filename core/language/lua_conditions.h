#pragma once

// Lua's own `and`, `or`, `not`, `==`, `~=`, `if`, `while` and `until` see only that there is an
// expression, not its value, and Lua has no hook for them. So the text that runs has a call around
// each operand that they look at, on the line of that operand: `a and b` runs as
// `__condition("and", a) and b`, and `a == b` as `__equal("==", a, b)`. These calls refuse the
// values of the language, and leave Lua's own as they are. `a and b or c` picks b, which may be an
// expression.

#include <string>

#include "core/language/token_lines.h"

struct lua_State;

namespace thallo::language {

// Returns Lua's text with these calls. Lua must have compiled the text without them before.
std::string with_checked_conditions(const TokenLines& lines);

// Pushes the function that lets a value of Lua's own pass, and refuses one of the language:
// condition(what, value).
void push_condition_check(lua_State* state);

// Makes what the calls call the globals of the text.
void add_condition_checks(lua_State* state);

}  // namespace thallo::language
