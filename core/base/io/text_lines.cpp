#include "core/base/io/text_lines.h"

#include <algorithm>

#include <fmt/format.h>

namespace thallo {

std::string_view TextLines::take_line() {
  const std::size_t end = std::min(rest_.find('\n'), rest_.size());
  std::string_view line = rest_.substr(0, end);
  rest_.remove_prefix(std::min(end + 1, rest_.size()));
  ++num_taken_;
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

bool TextLines::next() {
  while (!rest_.empty()) {
    line_ += std::exchange(num_taken_, 0);
    text_ = take_line();
    if (rules_.continues && text_.ends_with('\\')) {
      joined_.clear();
      for (std::string_view more = text_;; more = take_line()) {
        const bool goes_on = more.ends_with('\\');
        joined_ += more.substr(0, more.size() - (goes_on ? 1 : 0));
        joined_ += ' ';
        if (!goes_on || rest_.empty()) break;
      }
      text_ = joined_;
    }
    constexpr std::string_view Blanks = " \t\v\f\r";
    const std::size_t begin = std::min(text_.find_first_not_of(Blanks), text_.size());
    text_ = text_.substr(begin, text_.find_last_not_of(Blanks) + 1 - begin);
    words_ = TextCursor(
        "", rules_.comment == '\0' ? text_ : text_.substr(0, text_.find(rules_.comment)));
    if (!words_.at_end()) return true;
  }
  at_end_ = true;
  words_ = TextCursor("", "");
  return false;
}

Diagnostic TextLines::unexpected(std::string_view wanted) {
  Diagnostic diagnostic = words_.unexpected(wanted);
  if (words_.at_end())
    diagnostic.what =
        fmt::format("the {} ends where {} should be", at_end_ ? "file" : "line", wanted);
  diagnostic.where = where();
  return diagnostic;
}

}  // namespace thallo
