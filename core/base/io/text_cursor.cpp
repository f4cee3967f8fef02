#include "core/base/io/text_cursor.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/base/utf8.h"

namespace thallo {

std::string shown_start(std::string_view text) {
  constexpr std::size_t Most = 40;
  std::string shown;
  for (std::size_t at = 0; at < text.size() && at < Most;) {
    const std::size_t length = std::max<std::size_t>(1, utf8_length(text.substr(at)));
    const bool is_space = text[at] == '\n' || text[at] == '\t';
    shown += is_space ? "." : printable(text.substr(at, length));
    at += length;
  }
  return shown;
}

std::string_view TextCursor::word() {
  const std::string_view word = peek();
  at_ += word.size();
  return word;
}

std::string_view TextCursor::peek() {
  skip_blanks();
  std::size_t end = at_;
  while (end < text_.size() && !is_blank(text_[end])) ++end;
  return text_.substr(at_, end - at_);
}

std::string_view TextCursor::line() {
  const std::size_t end = std::min(text_.find('\n', at_), text_.size());
  std::string_view line = text_.substr(at_, end - at_);
  at_ = std::min(end + 1, text_.size());
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

void TextCursor::skip_comments(char mark) {
  while (!at_end() && text_[at_] == mark) line();
}

int TextCursor::line_number() const {
  const std::size_t end = std::min(at_, text_.empty() ? 0 : text_.size() - 1);
  const std::string_view passed = text_.substr(counted_, end - counted_);
  num_newlines_ += static_cast<int>(std::ranges::count(passed, '\n'));
  counted_ = end;
  return 1 + num_newlines_;
}

SourceLocation TextCursor::where_at(std::size_t offset) const {
  return {file_, 1 + static_cast<int>(std::ranges::count(text_.substr(0, offset), '\n')), 0};
}

Diagnostic TextCursor::unexpected(std::string_view wanted) {
  if (at_end()) return {fmt::format("the file ends where {} should be", wanted), where(), {}};
  return {fmt::format("found '{}' where {} should be", shown_start(peek()), wanted), where(), {}};
}

}  // namespace thallo
