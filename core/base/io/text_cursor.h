// Reads numbers and words from a text in memory, and describes what is wrong with the text: the
// file, the line, what was found and what was wanted. Numbers go through std::from_chars, so a file
// of some million numbers takes well under a second.
//
//   TextCursor cursor(path, content);
//   int rows = 0;
//   if (!cursor.read(rows)) return fail(cursor.unexpected("the number of rows"));
#pragma once

#include <charconv>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "core/base/diagnostic.h"

namespace thallo {

// Returns the start of the text as messages show it, about 40 bytes, with a point for
// each tab and line break.
std::string shown_start(std::string_view text);

class TextCursor {
 public:
  // `text` must outlive the cursor.
  TextCursor(std::string file, std::string_view text) : file_(std::move(file)), text_(text) {}

  // Skips white space. Returns true if nothing else follows.
  bool at_end() {
    skip_blanks();
    return at_ == text_.size();
  }

  // Returns the next word and moves past it; "" at the end.
  std::string_view word();
  // Returns the next word without moving past it.
  std::string_view peek();
  // Returns the rest of the current line without its line break, and moves to the next line.
  std::string_view line();
  // Skips lines as long as the next non-blank character is `mark`.
  void skip_comments(char mark);

  // Reads a number that is a whole word. Returns false and reads nothing if the next word is not a
  // number, does not fit into T, or does not exist.
  template <class T>
  requires std::integral<T> || std::floating_point<T>
  bool read(T& value) {
    skip_blanks();
    const char* begin = text_.data() + at_;
    const char* end = text_.data() + text_.size();
    if (begin != end && *begin == '+') ++begin;
    T parsed{};
    const auto [stop, error] = std::from_chars(begin, end, parsed);
    if (error != std::errc() || (stop != end && !is_blank(*stop))) return false;
    value = parsed;
    at_ = static_cast<std::size_t>(stop - text_.data());
    return true;
  }

  // Like read(), but accepts only numbers for which accept(number) is true.
  template <class T, class Accept>
  bool read_if(T& value, const Accept& accept) {
    const std::size_t before = at_;
    T parsed{};
    if (read(parsed) && accept(parsed)) {
      value = parsed;
      return true;
    }
    at_ = before;
    return false;
  }
  // Like read(), but accepts only finite numbers.
  template <std::floating_point T>
  bool read_finite(T& value) {
    return read_if(value, [](T parsed) { return std::isfinite(parsed); });
  }
  // Like read(), but accepts no negative numbers.
  template <std::integral T>
  bool read_count(T& value) {
    return read_if(value, [](T parsed) { return parsed >= 0; });
  }

  // Returns everything that follows, including white space.
  std::string_view rest() const { return text_.substr(at_); }

  // Returns the offset of the next character in the text.
  std::size_t offset() const { return at_; }
  // Returns the line of the next word, from 1; at the end of the text, the line of its last
  // character. Counting continues from the previous call, so a parser may call this at every word.
  // Copying a cursor and making a SourceLocation are not free, so parsers should keep an offset or
  // a line for each word instead.
  int line_number() const;
  SourceLocation where() const { return {file_, line_number(), 0}; }
  // Returns the place of an earlier offset. Counts lines from the beginning, so it is meant for
  // reporting a fault, not for every line.
  SourceLocation where_at(std::size_t offset) const;

  // Returns the message "file:12: found 'abc' where the number of rows should be" or, at the end of
  // the text, "file:12: the file ends where the number of rows should be".
  Diagnostic unexpected(std::string_view wanted);

 private:
  static bool is_blank(char c) {
    return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
  }
  void skip_blanks() {
    while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
  }

  std::string file_;
  std::string_view text_;
  std::size_t at_ = 0;
  // State of line_number(): the number of newlines before an offset.
  mutable std::size_t counted_ = 0;
  mutable int num_newlines_ = 0;
};

}  // namespace thallo
