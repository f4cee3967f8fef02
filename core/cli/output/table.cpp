#include "core/cli/output/table.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/utf8.h"

namespace thallo::cli {

std::size_t display_width(const std::string& text) {
  // UTF-8 continuation bytes are 10xxxxxx.
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

void Table::add(std::vector<std::string> cells) {
  THALLO_ASSERT_EQ(cells.size(), columns_.size());
  for (std::string& cell : cells) cell = printable(cell);
  rows_.push_back(std::move(cells));
}

std::vector<std::size_t> Table::widths() const {
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    std::size_t width = display_width(columns_[c].title);
    for (const auto& row : rows_) width = std::max(width, display_width(row[c]));
    widths.push_back(width);
  }
  return widths;
}

std::string Table::padded(const std::string& cell, std::size_t column, std::size_t width) const {
  const std::string space(width - display_width(cell), ' ');
  return columns_[column].align == Align::Left ? cell + space : space + cell;
}

std::string Table::text(int indent) const {
  const auto width = widths();
  const auto line = [&](const std::vector<std::string>& cells) {
    std::string text(static_cast<std::size_t>(indent), ' ');
    for (std::size_t c = 0; c < cells.size(); ++c) {
      if (c > 0) text += "  ";
      text += padded(cells[c], c, width[c]);
    }
    text.erase(text.find_last_not_of(' ') + 1);
    return text + "\n";
  };
  std::vector<std::string> titles;
  for (const Column& column : columns_) titles.push_back(column.title);
  std::string text = line(titles);
  for (const auto& row : rows_) text += line(row);
  return text;
}

std::string Table::markdown() const {
  const auto width = widths();
  std::string text = "|";
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    text += fmt::format(" {} |", padded(columns_[c].title, c, width[c]));
  }
  text += "\n|";
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    const std::string rule(width[c] + 1, '-');
    text +=
        columns_[c].align == Align::Left ? fmt::format("{}-|", rule) : fmt::format("{}:|", rule);
  }
  text += "\n";
  for (const auto& row : rows_) {
    text += "|";
    for (std::size_t c = 0; c < row.size(); ++c)
      text += fmt::format(" {} |", padded(row[c], c, width[c]));
    text += "\n";
  }
  return text;
}

}  // namespace thallo::cli
