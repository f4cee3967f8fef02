#include "core/kernel/emit/wrap_lines.h"

#include <algorithm>
#include <string_view>

namespace thallo {
namespace {

// The place to break a line: the last space up to `width` that is neither inside a subscript nor in
// front of an operator; if there is none, the first such space behind `width`.
std::size_t find_break(const std::string& line, std::size_t from, std::size_t width) {
  std::size_t best = std::string::npos;
  int subscripts = 0;
  for (std::size_t i = from; i + 1 < line.size(); ++i) {
    if (line[i] == '[') ++subscripts;
    if (line[i] == ']') --subscripts;
    if (line[i] != ' ' || subscripts > 0) continue;
    const bool before_operator =
        std::string_view("+-*/<>=&|?:").find(line[i + 1]) != std::string_view::npos;
    if (before_operator) continue;
    if (i > width) return best == std::string::npos ? i : best;
    best = i;
  }
  return best;
}

}  // namespace

std::string wrap_lines(const std::string& text) {
  constexpr std::size_t Width = 100;
  std::string wrapped;
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string line = text.substr(begin, end - begin);
    const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
    while (line.size() > Width) {
      const std::size_t space = find_break(line, indent + 4, Width);
      if (space == std::string::npos) break;
      wrapped += line.substr(0, space) + '\n';
      line = std::string(indent + 4, ' ') + line.substr(space + 1);
    }
    wrapped += line + '\n';
    begin = end + 1;
  }
  return wrapped;
}

}  // namespace thallo
