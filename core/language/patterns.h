#pragma once

// Bounds how long Lua's matcher of string patterns runs. The matcher executes no instructions of
// the text, so no limit of the interpreter stops it: a match that could take too long is refused
// beforehand.

#include <cstddef>
#include <string_view>

namespace thallo::language {

// Returns an upper bound on the steps to find a pattern, or to replace it everywhere, in a text of
// this length. `is_literal` means that the pattern's characters stand for themselves.
double max_match_steps(std::string_view pattern, bool is_literal, std::size_t text_length);

// The largest allowed number of steps, which takes about a second.
inline constexpr double MaxMatchSteps = 2e8;

}  // namespace thallo::language
