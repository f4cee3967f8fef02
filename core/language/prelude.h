#pragma once

// The part of the library that is written in Lua, on top of the host functions: short formulas on
// vectors. Its functions appear in messages under their own names and the user's lines.

namespace thallo::language {

extern const char* const Prelude;

}  // namespace thallo::language
