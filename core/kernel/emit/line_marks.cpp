#include "core/kernel/emit/line_marks.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>
#include <fmt/ranges.h>

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

constexpr char Mark = '\x1f';  // the unit separator, which no other text has

std::vector<int> numbers_in(std::string_view list) {
  std::vector<int> numbers;
  const char* const end = list.data() + list.size();
  for (const char* at = list.data(); at != end; at += *at == ',' ? 1 : 0)
    at = std::from_chars(at, end, numbers.emplace_back()).ptr;
  return numbers;
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

std::string line_mark(const std::set<int>& lines) {
  return lines.empty() ? std::string() : fmt::format("{}{}", Mark, fmt::join(lines, ","));
}

WrappedText wrap_marked(std::string_view text) {
  WrappedText result;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::size_t mark = std::min(line.find(Mark), line.size());
    const std::string pieces = wrap_lines(std::string(line.substr(0, mark)) + '\n');
    result.text += pieces;
    const std::vector<int> lines =
        mark < line.size() ? numbers_in(line.substr(mark + 1)) : std::vector<int>();
    result.lines_of.insert(result.lines_of.end(),
                           static_cast<std::size_t>(std::ranges::count(pieces, '\n')), lines);
  }
  return result;
}

}  // namespace thallo
