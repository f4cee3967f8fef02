// A table of texts, printed in columns for people or as markdown for documents.
#pragma once

#include <string>
#include <vector>

namespace thallo::cli {

class Table {
 public:
  enum class Align { Left, Right };
  struct Column {
    std::string title;
    Align align = Align::Right;
  };

  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  // As many cells as there are columns.
  void add(std::vector<std::string> cells);
  bool empty() const { return rows_.empty(); }

  // Two spaces between columns, no rules; every line begins with `indent` spaces.
  std::string text(int indent = 0) const;
  std::string markdown() const;

 private:
  std::vector<std::size_t> widths() const;
  std::string padded(const std::string& cell, std::size_t column, std::size_t width) const;

  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

// How many columns a text takes on a terminal: its code points, which are fewer than its bytes in
// texts like "2 µs".
std::size_t display_width(const std::string& text);

}  // namespace thallo::cli
