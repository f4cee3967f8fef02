#pragma once

// The language comes from that of Opt, in which inputs are declared one by one, read at offsets
// from a pixel that is never named, and summed up by Energy(...). A text of that kind is told so at
// the first sign of it, since every line of it would be a fault.

#include <string_view>

namespace thallo::language {

// Throws Stop if the name is one of Opt alone.
void stop_at_opt_name(std::string_view name);
// For a declaration whose first argument is a text, Unknown("X", ...).
[[noreturn]] void stop_at_opt_declaration(std::string_view function, std::string_view input);

}  // namespace thallo::language
