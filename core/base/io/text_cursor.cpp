#include "core/base/io/text_cursor.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

namespace thallo {

std::string_view TextCursor::word() {
  skip_blanks();
  const std::size_t begin = at_;
  while (at_ < text_.size() && !is_blank(text_[at_])) ++at_;
  return text_.substr(begin, at_ - begin);
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
  const auto before = text_.substr(0, std::min(at_, text_.empty() ? 0 : text_.size() - 1));
  return 1 + static_cast<int>(std::count(before.begin(), before.end(), '\n'));
}

Diagnostic TextCursor::unexpected(std::string_view wanted) {
  if (at_end()) return {fmt::format("the file ends where {} should be", wanted), where(), {}};
  TextCursor ahead = *this;
  std::string found;
  // Binary content is shown as dots, long words are cut.
  for (const char c : ahead.word().substr(0, 40)) {
    found += std::isprint(static_cast<unsigned char>(c)) ? c : '.';
  }
  return {fmt::format("found '{}' where {} should be", found, wanted), where(), {}};
}

}  // namespace thallo
