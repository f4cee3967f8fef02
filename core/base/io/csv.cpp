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
constexpr bool is_blank(char c, char separator) {
  return (c == ' ' || c == '\t' || c == '\r') && c != separator;
}

// By the first record, whose quoted fields may hold anything.
char separator_of(std::string_view text) {
  bool is_quoted = false, has_semicolon = false, has_tab = false;
  for (const char c : text) {
    if (c == '"') is_quoted = !is_quoted;
    if (is_quoted) continue;
    if (c == ',') return ',';
    if (c == '\n') break;
    has_semicolon = has_semicolon || c == ';';
    has_tab = has_tab || c == '\t';
  }
  return has_semicolon ? ';' : has_tab ? '\t' : ' ';
}

std::optional<double> number_of(std::string_view field) {
  field = trim(field);
  if (field.starts_with('+')) field.remove_prefix(1);
  return parse_number<double>(field);
}

// True if the field begins as a number does, as 1.5.2, 1e999 or 0x10. Percentages name columns.
bool is_like_number(std::string_view field) {
  field = trim(field);
  const std::size_t first = field.find_first_not_of("+-.");
  return first != std::string_view::npos &&
         std::isdigit(static_cast<unsigned char>(field[first])) && !field.ends_with('%');
}

// True if these fields of a first line are names.
bool are_names(const auto& fields) {
  const auto is_number = [](std::string_view field) { return number_of(field).has_value(); };
  return std::ranges::none_of(fields, is_number) && !std::ranges::all_of(fields, is_like_number);
}

// A doubled quote stands for one.
std::string name_of(std::string_view field) {
  std::string name(field);
  for (std::size_t at = name.find("\"\""); at != std::string::npos; at = name.find("\"\"", at + 1))
    name.erase(at, 1);
  return name;
}

// Quotes the field if necessary (RFC 4180).
std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

// Gives one record after another: the fields of a line, or of several where a quoted field has
// line breaks. The text is read once.
class RecordReader {
 public:
  RecordReader(const std::filesystem::path& name, std::string_view text)
      : name_(name), text_(text) {}

  // False at the end of the text.
  Expected<bool> next() {
    line_ = next_line_;
    fields_.clear();
    for (; at_ < text_.size(); line_ = ++next_line_) {
      while (at_ < text_.size() && is_blank(text_[at_], '\0')) ++at_;
      const std::size_t end = std::min(text_.find('\n', at_), text_.size());
      const std::string_view line = trim(text_.substr(at_, end - at_));
      if (!line.empty() && line.front() != '#') {
        if (separator_ == '\0') separator_ = separator_of(text_.substr(at_));
        if (line.find('"') != std::string_view::npos) return split_quoted();
        split(line);
        at_ = std::min(end + 1, text_.size());
        ++next_line_;
        return true;
      }
      at_ = std::min(end + 1, text_.size());
    }
    return false;
  }

  // What stands in quotes is without them.
  const std::vector<std::string_view>& fields() const { return fields_; }
  // Where the record begins.
  SourceLocation where() const { return {name_, line_, 0}; }

 private:
  void split(std::string_view line) {
    while (true) {
      const std::size_t end = std::min(
          separator_ == ' ' ? line.find_first_of(" \t") : line.find(separator_), line.size());
      fields_.push_back(trim(line.substr(0, end)));
      if (end == line.size()) return;
      line.remove_prefix(end + 1);
      if (separator_ == ' ') line = trim(line);
    }
  }

  // The same for a record with a quote in its first line; `at_` is where it begins.
  Expected<bool> split_quoted() {
    ++next_line_;
    while (true) {
      skip_blanks();
      const bool is_quoted = at_ < text_.size() && text_[at_] == '"';
      if (is_quoted) {
        THALLO_CHECK(read_quoted());
      } else {
        const char ends[] = {separator_, separator_ == ' ' ? '\t' : '\n', '\n'};
        const std::size_t end =
            std::min(text_.find_first_of({ends, std::size(ends)}, at_), text_.size());
        fields_.push_back(trim(text_.substr(at_, end - at_)));
        at_ = end;
      }
      const std::size_t behind = at_;
      skip_blanks();
      const std::size_t end = std::min(text_.find_first_not_of(" \t\r", at_), text_.size());
      if (end == text_.size() || text_[end] == '\n') {
        at_ = std::min(end + 1, text_.size());
        return true;
      }
      if (separator_ == ' ' ? at_ > behind : text_[at_] == separator_) {
        if (separator_ != ' ') ++at_;
        continue;
      }
      return fail_at({name_, next_line_ - 1, 0},
                     "found '{}' behind the quoted field '{}', where {} or the end of the line "
                     "should be",
                     shown_start(text_.substr(at_, 1)), shown_start(fields_.back()),
                     separator_ == ' '    ? "a blank"
                     : separator_ == '\t' ? "a tab"
                                          : fmt::format("'{}'", separator_));
    }
  }

  Expected<void> read_quoted() {
    const std::size_t begin = ++at_;
    while (true) {
      at_ = text_.find('"', at_);
      if (at_ == std::string_view::npos) {
        return fail_at({name_, next_line_ - 1, 0}, "the quote before '{}' is never closed",
                       shown_start(text_.substr(
                           begin, std::min(text_.find('\n', begin), begin + 40) - begin)));
      }
      if (text_.substr(at_, 2) != "\"\"") break;
      at_ += 2;
    }
    fields_.push_back(text_.substr(begin, at_ - begin));
    next_line_ += static_cast<int>(std::ranges::count(fields_.back(), '\n'));
    ++at_;
    return {};
  }

  void skip_blanks() {
    while (at_ < text_.size() && is_blank(text_[at_], separator_ == ' ' ? '\0' : separator_)) ++at_;
  }

  std::filesystem::path name_;
  std::string_view text_;
  std::size_t at_ = 0;
  char separator_ = '\0';
  int line_ = 1;
  int next_line_ = 1;
  std::vector<std::string_view> fields_;
};

}  // namespace

Expected<CsvTable> parse_csv(const std::filesystem::path& name, std::string_view content) {
  CsvTable table;
  RecordReader records(name, content);
  while (true) {
    THALLO_TRY(const auto more, records.next());
    if (!more) break;
    const std::vector<std::string_view>& fields = records.fields();
    if (table.columns.empty()) {
      const bool has_names = are_names(fields);
      for (std::size_t i = 0; i < fields.size(); ++i)
        table.columns.push_back(has_names ? name_of(fields[i]) : std::to_string(i));
      if (has_names) continue;
    }
    if (fields.size() != table.num_columns()) {
      return fail_at(records.where(), "the line has {} fields, but the table has {} columns ({})",
                     fields.size(), table.num_columns(), fmt::join(table.columns, ", "));
    }
    for (std::size_t i = 0; i < fields.size(); ++i) {
      const auto value = number_of(fields[i]);
      if (!value) {
        return fail_at(records.where(), "found '{}' in column {} where a number should be",
                       shown_start(fields[i]), shown_start(table.columns[i]));
      }
      table.values.push_back(*value);
    }
  }
  if (table.values.empty()) return fail_at({name}, "has no line of numbers");
  return table;
}

std::string csv_line(const std::vector<std::string>& fields) {
  std::string line;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (i > 0) line += ',';
    line += csv_field(fields[i]);
  }
  return line + '\n';
}

Expected<void> write_csv(const std::filesystem::path& path, const CsvTable& table) {
  std::string text = are_names(table.columns) ? csv_line(table.columns) : "";
  auto out = std::back_inserter(text);
  for (std::size_t i = 0; i < table.values.size(); ++i)
    fmt::format_to(out, "{}{}", table.values[i], (i + 1) % table.num_columns() == 0 ? '\n' : ',');
  return write_file(path, text);
}

}  // namespace thallo
