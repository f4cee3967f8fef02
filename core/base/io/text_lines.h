// Reads a text whose records are lines: the words of one line after another, and what is wrong with
// them. Blank lines and comments are skipped.
//
//   TextLines lines(path, content, {.comment = '#'});
//   while (lines.next()) {
//     double x = 0;
//     if (!lines.words().read(x)) return fail(lines.unexpected("x of the point"));
//     if (!lines.words().at_end()) return fail(lines.unexpected("the end of the point"));
//   }
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "core/base/diagnostic.h"
#include "core/base/io/text_cursor.h"

namespace thallo {

class TextLines {
 public:
  struct Rules {
    char comment = '\0';     // what follows it is skipped; '\0' if there are no comments
    bool continues = false;  // true if a line that ends with a backslash goes on in the next one
    int first_line = 1;      // the number of the first line, if the text is the rest of a file
  };
  // `text` must outlive this object.
  TextLines(std::string file, std::string_view text, Rules rules)
      : file_(std::move(file)), rest_(text), rules_(rules), line_(rules.first_line) {}

  // Moves to the next line that has a word. Returns false if there is none.
  bool next();

  // The words of the line. The cursor knows neither file nor line: unexpected() adds them.
  TextCursor& words() { return words_; }
  // The whole line with its comment, without the blanks around it.
  std::string_view text() const { return text_; }
  SourceLocation where() const { return {file_, line_, 0}; }

  // Returns "file:12: found 'abc' where x of the point should be", or that the line, or behind the
  // last line the file, ends there.
  Diagnostic unexpected(std::string_view wanted);

 private:
  std::string_view take_line();

  std::string file_;
  std::string_view rest_;
  Rules rules_;
  int line_;
  int num_taken_ = 0;  // lines of the file that this line has
  std::string joined_;
  std::string_view text_;
  TextCursor words_{"", ""};
  bool at_end_ = false;
};

}  // namespace thallo
