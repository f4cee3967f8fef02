// Names of files, damaged records and texts of other programs may have bytes that are no UTF-8.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace thallo {

// Returns the number of bytes of the character that the text begins with, or 0 if it begins with a
// byte that is no UTF-8.
std::size_t utf8_length(std::string_view text);

bool is_utf8(std::string_view text);

// Returns the text as a terminal may show it. Control characters but tabs and line breaks, and
// bytes that are no UTF-8, are written as "\x1b".
std::string printable(std::string_view text);

}  // namespace thallo
