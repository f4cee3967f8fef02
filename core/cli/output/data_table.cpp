#include "core/cli/output/data_table.h"

#include <cmath>
#include <type_traits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/cli/output/json_text.h"

namespace thallo::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string cell_text(const DataTable::Cell& cell, const std::string& format) {
  return std::visit(
      [&]<class T>(const T& value) -> std::string {
        if constexpr (std::is_same_v<T, std::monostate>) {
          return "-";
        } else if constexpr (std::is_same_v<T, std::string>) {
          return value;
        } else if constexpr (std::is_same_v<T, DataTable::Bounded>) {
          return value.sign + fmt::format(fmt::runtime(format), value.value);
        } else {
          return fmt::format(fmt::runtime(format), value);
        }
      },
      cell);
}

Json cell_json(const DataTable::Cell& cell) {
  return std::visit(
      []<class T>(const T& value) -> Json {
        if constexpr (std::is_same_v<T, std::monostate>) {
          return nullptr;
        } else if constexpr (std::is_same_v<T, DataTable::Bounded>) {
          return value.value;
        } else {
          return value;
        }
      },
      cell);
}

}  // namespace

void DataTable::add(std::vector<Cell> cells) {
  THALLO_ASSERT_EQ(cells.size(), columns_.size());
  rows_.push_back(std::move(cells));
}

Table DataTable::table() const {
  std::vector<Table::Column> columns;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    const bool is_text = !rows_.empty() && std::holds_alternative<std::string>(rows_.front()[c]);
    columns.push_back({columns_[c].title, is_text ? Table::Align::Left : Table::Align::Right});
  }
  Table table(std::move(columns));
  for (const auto& row : rows_) {
    std::vector<std::string> cells;
    for (std::size_t c = 0; c < row.size(); ++c) {
      cells.push_back(cell_text(row[c], columns_[c].format));
    }
    table.add(std::move(cells));
  }
  return table;
}

std::string DataTable::text() const {
  std::string text = title_ + "\n";
  if (!rows_.empty()) text += "\n" + table().text(2);
  for (const std::string& note : notes_) text += "\n" + note + "\n";
  return text;
}

std::string DataTable::markdown(std::size_t heading_level) const {
  std::string text = fmt::format("{} {}\n\n", std::string(heading_level, '#'), title_);
  if (!rows_.empty()) text += table().markdown();
  for (const std::string& note : notes_) text += "\n" + note + "\n";
  return text;
}

std::string DataTable::json() const {
  Json rows = Json::array();
  for (const auto& row : rows_) {
    Json object = Json::object();
    for (std::size_t c = 0; c < row.size(); ++c) object[columns_[c].key] = cell_json(row[c]);
    rows.push_back(std::move(object));
  }
  const Json json = {{"title", title_}, {"rows", rows}, {"notes", notes_}};
  return dumped(json);
}

}  // namespace thallo::cli
