// A table of measured values. Its cells are typed, so the same table can be printed as markdown for
// people and as JSON for programs.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/cli/output/table.h"

namespace thallo::cli {

class DataTable {
 public:
  // A number that is only known to be above or below this one.
  struct Bounded {
    std::string sign;  // "≥ "
    double value = 0;
  };
  // A cell without a value (monostate) is printed as "-" and is null in JSON.
  using Cell = std::variant<std::monostate, std::string, std::int64_t, double, Bounded>;
  struct Column {
    std::string key;            // in JSON: "us_per_linear_iteration"
    std::string title;          // "µs / linear iteration"
    std::string format = "{}";  // fmt format of numbers: "{:.2f}"
  };

  DataTable(std::string name, std::string title, std::vector<Column> columns)
      : name_(std::move(name)), title_(std::move(title)), columns_(std::move(columns)) {}

  const std::string& name() const { return name_; }
  // Adds a row, which must have as many cells as there are columns.
  void add(std::vector<Cell> cells);
  // Adds a sentence below the table.
  void note(std::string text) { notes_.push_back(std::move(text)); }

  std::string text() const;  // in columns, for a terminal
  std::string markdown(std::size_t heading_level = 2) const;
  // {"title": ..., "rows": [{key: value, ...}, ...], "notes": [...]}
  std::string json() const;

 private:
  Table table() const;

  std::string name_;
  std::string title_;
  std::vector<Column> columns_;
  std::vector<std::vector<Cell>> rows_;
  std::vector<std::string> notes_;
};

}  // namespace thallo::cli
