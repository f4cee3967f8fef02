// A table of texts, printed in columns for people or as markdown for documents.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace thallo::cli {

class Table {
 public:
  enum class Align { Left, Right };
  struct Column {
    Column(const char* its) : title(its) {}
    Column(std::string its, Align at = Align::Right) : title(std::move(its)), align(at) {}

    std::string title;
    Align align = Align::Right;
  };

  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  // Adds a row, which must have as many cells as there are columns.
  void add(std::vector<std::string> cells);
  bool empty() const { return rows_.empty(); }

  // Prints two spaces between columns and no rules; every line begins with `indent` spaces.
  std::string text(int indent = 0) const;
  std::string markdown() const;

 private:
  std::vector<std::size_t> widths() const;
  std::string padded(const std::string& cell, std::size_t column, std::size_t width) const;

  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

// A column whose cells begin at its left: Table table({left("step"), "time"}).
inline Table::Column left(std::string title) { return {std::move(title), Table::Align::Left}; }

// Returns the number of terminal columns that a text takes: its code points, of which "2 µs" has
// fewer than bytes.
std::size_t display_width(const std::string& text);

}  // namespace thallo::cli
