#include "core/language/patterns.h"

#include <algorithm>
#include <cctype>
#include <cmath>

namespace thallo::language {
namespace {

// The items of a pattern that make it slow, with how many ways each gives the matcher to go on.
struct PatternItems {
  int repetitions = 0;  // * + -: as many ways as there are characters left
  int options = 0;      // ?: two ways
  int scans = 0;        // %bxy and %1: one way, found by a walk over the text
};

// The position after the set whose '[' is at `at`; a ']' that comes first is one of its characters.
std::size_t end_of_set(std::string_view pattern, std::size_t at) {
  at += at + 1 < pattern.size() && pattern[at + 1] == '^' ? 2 : 1;
  for (bool first = true; at < pattern.size(); first = false) {
    if (pattern[at] == ']' && !first) return at + 1;
    at += pattern[at] == '%' ? 2 : 1;
  }
  return pattern.size();
}

PatternItems items_of(std::string_view pattern) {
  PatternItems items;
  for (std::size_t at = 0; at < pattern.size();) {
    if (pattern[at] == '[') {
      at = end_of_set(pattern, at);
    } else if (pattern[at] == '%' && at + 1 < pattern.size()) {
      const char what = pattern[at + 1];
      if (what == 'b' || std::isdigit(static_cast<unsigned char>(what)) != 0) ++items.scans;
      at += what == 'b' ? 4 : 2;
    } else {
      ++at;
    }
    if (at >= pattern.size()) break;
    const char suffix = pattern[at];
    if (suffix == '*' || suffix == '+' || suffix == '-') {
      ++items.repetitions;
    } else if (suffix == '?') {
      ++items.options;
    }
  }
  return items;
}

}  // namespace

// The matcher tries all starts and, from each, all ways to distribute the text among the r
// repetitions, which end at n >= p_r >= ... >= p_1 >= start: as many ways as there are choices of
// r + 1 out of n + r + 1. On each way it looks at every character of the pattern at most once.
double max_match_steps(std::string_view pattern, bool is_literal, std::size_t text_length) {
  const PatternItems items = is_literal ? PatternItems{} : items_of(pattern);
  const auto n = static_cast<double>(text_length);
  double ways = std::exp2(items.options);
  for (int k = 1; k <= items.repetitions + 1; ++k) ways *= (n + k) / k;
  return ways * (static_cast<double>(std::max<std::size_t>(pattern.size(), 1)) + n * items.scans);
}

}  // namespace thallo::language
