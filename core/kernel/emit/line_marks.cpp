#include "core/kernel/emit/line_marks.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/kernel/emit/wrap_lines.h"

namespace thallo {
namespace {

constexpr char Mark = '\x1f';  // the unit separator, which no other text has

std::vector<int> numbers_in(std::string_view list) {
  std::vector<int> numbers;
  const char* const end = list.data() + list.size();
  for (const char* at = list.data(); at != end; at += *at == ',' ? 1 : 0)
    at = std::from_chars(at, end, numbers.emplace_back()).ptr;
  return numbers;
}

}  // namespace

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
