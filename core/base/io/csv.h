// Tables of numbers as text: one row per line, below an optional line of column names. The
// separator is the first of comma, semicolon, tab and blank that occurs in the first line. Blank
// lines and lines that begin with # are skipped. A field may be quoted, "like ""this"": 1, 2"; then
// it may contain separators and line breaks. The first line contains names if none of its fields is
// a number.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/diagnostic.h"

namespace thallo {

struct CsvTable {
  std::vector<std::string> columns;  // "0", "1", ... if the file has no names
  std::vector<double> values;        // row by row

  std::size_t num_columns() const { return columns.size(); }
  std::size_t num_rows() const { return columns.empty() ? 0 : values.size() / columns.size(); }

  friend bool operator==(const CsvTable&, const CsvTable&) = default;
};

// Errors state the line: a field that is not a number, or a row with more or fewer fields than the
// first. A file without rows is an error too.
Expected<CsvTable> parse_csv(const std::filesystem::path& name, std::string_view content);
// Returns a line of a table. A field with a comma, a quote or a line break is quoted (RFC 4180).
std::string csv_line(const std::vector<std::string>& fields);
// Writes the column names, unless they would be read as numbers, then every value with all digits.
Expected<void> write_csv(const std::filesystem::path& path, const CsvTable& table);

}  // namespace thallo
