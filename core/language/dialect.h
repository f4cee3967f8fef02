#pragma once

// The language is derived from that of Opt, in which inputs are declared one by one, read at
// offsets from a pixel that is never named, and summed by Energy(...). The author of a text in that
// dialect is told so at its first sign, since every line would be a fault.

#include <string_view>

namespace thallo::language {

// Throws Stop if the name exists only in Opt.
void stop_at_opt_name(std::string_view name);
// Throws Stop for a declaration whose first argument is a text, Unknown("X", ...).
[[noreturn]] void stop_at_opt_declaration(std::string_view function, std::string_view input);

}  // namespace thallo::language
