#pragma once

// How long Lua's matcher of string patterns may run. It executes no instructions of the text, so
// no limit of the interpreter stops it: what could take too long is refused beforehand.

#include <cstddef>
#include <string_view>

namespace thallo::language {

// A bound on the steps to find, or to replace everywhere, a pattern in a text of this length.
// `is_literal`: the pattern's characters stand for themselves.
double max_match_steps(std::string_view pattern, bool is_literal, std::size_t text_length);

// About a second.
inline constexpr double MaxMatchSteps = 2e8;

}  // namespace thallo::language
