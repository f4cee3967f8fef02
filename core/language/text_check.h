#pragma once

#include <string>
#include <string_view>

#include "core/base/diagnostic.h"

namespace thallo::language {

// Fails for compiled Lua, and for a text with a NUL byte, which other programs cut there; `what`
// says what the text should be, for messages: "an energy".
Expected<void> check_is_text(std::string_view text, const std::string& name, std::string_view what);

}  // namespace thallo::language
