// The lines of generated text: where they break, and marks at their ends, which say what lines of
// the author's text they come from while a readable text is written. Private to emission.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace thallo {

// Breaks lines longer than 100 characters at spaces, behind an operator and outside of subscripts.
std::string wrap_lines(const std::string& text);

// Returns the mark to write in front of a line's end; empty for no lines.
std::string line_mark(const std::set<int>& lines);

struct WrappedText {
  std::string text;                        // without marks, wrapped
  std::vector<std::vector<int>> lines_of;  // of each line of `text`; ascending
};
// A line that is broken gives its lines to all of its pieces.
WrappedText wrap_marked(std::string_view text);

}  // namespace thallo
