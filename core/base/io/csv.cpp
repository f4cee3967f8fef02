#include "core/base/io/csv.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <optional>

#include <fmt/format.h>

#include "core/base/io/file.h"
#include "core/base/io/text_cursor.h"
#include "core/base/parse_number.h"

namespace thallo {
namespace {

std::string_view trim(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

// ' ' stands for any number of blanks.
char separator_of(std::string_view line) {
  for (const char separator : {',', ';', '\t'})
    if (line.find(separator) != std::string_view::npos) return separator;
  return ' ';
}

std::vector<std::string_view> split(std::string_view line, char separator) {
  std::vector<std::string_view> fields;
  while (true) {
    const bool quoted = separator != ' ' && trim(line).starts_with('"');
    const std::size_t open = quoted ? line.find('"') : 0;
    const std::size_t close = quoted ? std::min(line.find('"', open + 1), line.size()) : 0;
    const std::size_t end = std::min(line.find(separator, close), line.size());
    fields.push_back(trim(line.substr(0, end)));
    if (end == line.size()) return fields;
    line.remove_prefix(end + 1);
    if (separator == ' ') line = trim(line);
  }
}

std::optional<double> number_of(std::string_view field) {
  if (field.starts_with('+')) field.remove_prefix(1);
  return parse_number<double>(field);
}

std::string name_of(std::string_view field) {
  if (field.size() >= 2 && field.starts_with('"') && field.ends_with('"'))
    field = field.substr(1, field.size() - 2);
  return std::string(field);
}

// The field as messages show it: without control characters and not too long.
std::string shown(std::string_view field) {
  std::string text(field.substr(0, 40));
  for (char& c : text)
    if (!std::isprint(static_cast<unsigned char>(c))) c = '.';
  return text;
}

}  // namespace

Expected<CsvTable> parse_csv(const std::filesystem::path& name, std::string_view content) {
  CsvTable table;
  char separator = ' ';
  int number = 0;
  for (TextCursor lines(name, content); !lines.rest().empty();) {
    ++number;
    const std::string_view line = trim(lines.line());
    if (line.empty() || line.starts_with('#')) continue;
    const SourceLocation where{name, number, 0};
    const bool first = table.columns.empty();
    if (first) separator = separator_of(line);
    const std::vector<std::string_view> fields = split(line, separator);
    const auto is_number = [](std::string_view field) { return number_of(field).has_value(); };
    if (first) {
      const bool has_names = std::ranges::none_of(fields, is_number);
      for (std::size_t i = 0; i < fields.size(); ++i)
        table.columns.push_back(has_names ? name_of(fields[i]) : std::to_string(i));
      if (has_names) continue;
    }
    if (fields.size() != table.num_columns()) {
      return fail_at(where, "the line has {} fields, but the table has {} columns ({})",
                     fields.size(), table.num_columns(), fmt::join(table.columns, ", "));
    }
    for (std::size_t i = 0; i < fields.size(); ++i) {
      const auto value = number_of(fields[i]);
      if (!value) {
        return fail_at(where, "found '{}' in column {} where a number should be", shown(fields[i]),
                       table.columns[i]);
      }
      table.values.push_back(*value);
    }
  }
  if (table.values.empty()) return fail_at({name}, "has no line of numbers");
  return table;
}

Expected<CsvTable> read_csv(const std::filesystem::path& path) {
  const auto content = read_file(path);
  if (!content) return fail(content.error());
  return parse_csv(path, *content);
}

Expected<void> write_csv(const std::filesystem::path& path, const CsvTable& table) {
  std::string text = fmt::format("{}\n", fmt::join(table.columns, ","));
  auto out = std::back_inserter(text);
  for (std::size_t i = 0; i < table.values.size(); ++i)
    fmt::format_to(out, "{}{}", table.values[i], (i + 1) % table.num_columns() == 0 ? '\n' : ',');
  return write_file(path, text);
}

}  // namespace thallo
