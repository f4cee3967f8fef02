#pragma once

// Bounds how long Lua's matcher of string patterns runs. The matcher executes no instructions of
// the text, so no limit of the interpreter stops it: a match that could take too long is refused
// beforehand.

#include <cstddef>
#include <string_view>

namespace thallo::language {

// An upper bound on the steps to find, or to replace everywhere, a pattern in a text of this
// length. `is_literal`: the pattern's characters stand for themselves.
double max_match_steps(std::string_view pattern, bool is_literal, std::size_t text_length);

// The most steps that are allowed, which take about a second.
inline constexpr double MaxMatchSteps = 2e8;

}  // namespace thallo::language
