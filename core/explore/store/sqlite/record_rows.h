// Reads records from rows of their tables (schema.h has their columns), and writes them. A field of
// a record (core/base/fields.h) is a column of its name, unless its table says otherwise; a list of
// structs is a table of its own.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/explore/store/sqlite/database.h"
#include "core/explore/store/store.h"

namespace thallo {

// A field whose column has another name, or is in a table that the rows refer to. The latter is
// only read, since a row is written with the column that refers to the table.
struct FieldPlace {
  std::string_view field;
  std::string_view column;

  bool is_written() const { return column.find('.') == std::string_view::npos; }
};

struct RecordTable {
  const char* name;
  const char* rows;   // what SELECT reads from: the table, and those that it refers to
  const char* order;  // by the texts that identify records
  std::initializer_list<FieldPlace> places = {};
  // True if a row that is written again keeps what the new record does not know. It also stays the
  // row that others refer to.
  bool is_merged = false;

  const FieldPlace* find_place(std::string_view field) const {
    const auto* place = std::ranges::find(places, field, &FieldPlace::field);
    return place == places.end() ? nullptr : place;
  }
  std::string column_of(std::string_view field) const {
    const FieldPlace* place = find_place(field);
    if (place && !place->is_written()) return std::string(place->column);
    return fmt::format("{}.{}", name, place ? place->column : field);
  }
};

// The table of a type of records, or of structs in lists of records.
template <class T>
inline const RecordTable table_of = {};

inline constexpr FieldPlace OfProblem = {"problem", "problems.signature"};
inline constexpr FieldPlace OfDevice = {"device", "devices.signature"};
inline constexpr FieldPlace OfKey = {"key", "keys.text"};
inline constexpr FieldPlace Commit = {"commit", "revision"};

template <>
inline const RecordTable table_of<DeviceRecord> = {
    "devices", "devices", "signature", {{"device", "signature"}}, true};
template <>
inline const RecordTable table_of<ProblemRecord> = {
    "problems", "problems", "signature", {{"problem", "signature"}}, true};
template <>
inline const RecordTable table_of<SpaceRecord> = {
    "spaces", "spaces", "name", {{"id", "name"}}, true};
template <>
inline const RecordTable table_of<KernelRecord> = {
    "kernels", "kernels JOIN keys ON keys.id = kernels.key", "keys.text, compiler", {OfKey}, true};
template <>
inline const RecordTable table_of<StepRecord> = {
    "steps",
    "steps JOIN problems ON problems.id = steps.problem JOIN keys ON keys.id = steps.key "
    "LEFT JOIN keys AS kernels ON kernels.id = steps.kernel",
    "problems.signature, keys.text",
    {OfProblem, OfKey, {"kernel", "kernels.text"}},
    true};
template <>
inline const RecordTable table_of<StepSamples> = {
    "step_samples",
    "step_samples JOIN steps ON steps.id = step_samples.step JOIN keys ON keys.id = steps.key "
    "JOIN problems ON problems.id = steps.problem JOIN devices ON devices.id = step_samples.device",
    "problems.signature, devices.signature, keys.text, cache DESC",
    {OfProblem, OfDevice, OfKey, Commit}};

template <>
inline const RecordTable table_of<ScheduleRecord> = {
    "schedules",
    "schedules JOIN problems ON problems.id = schedules.problem",
    "problems.signature, hash",
    {OfProblem},
    true};
template <>
inline const RecordTable table_of<SchedulePlace> = {
    "places",
    "places JOIN spaces ON spaces.id = places.space",
    "spaces.name",
    {{"space", "spaces.name"}, {"index", "number"}}};
template <>
inline const RecordTable table_of<SchedulePrediction> = {
    "predictions",
    "predictions JOIN devices ON devices.id = predictions.device",
    "devices.signature, model",
    {OfDevice}};
template <>
inline const RecordTable table_of<StepUse> = {
    "uses",
    "uses JOIN devices ON devices.id = uses.device JOIN steps ON steps.id = uses.step "
    "JOIN keys ON keys.id = steps.key",
    "devices.signature, keys.text",
    {OfDevice, OfKey}};
template <>
inline const RecordTable table_of<Decision> = {
    "decisions",
    "decisions JOIN choices ON choices.id = decisions.choice",
    "schedule, position",
    {{"construct", "choices.construct"}, {"site", "choices.site"}, {"choice", "choices.choice"}}};
template <>
inline const RecordTable table_of<ScheduleResult> = {
    "results",
    "results JOIN schedules ON schedules.id = results.schedule "
    "JOIN problems ON problems.id = schedules.problem JOIN devices ON devices.id = results.device",
    "problems.signature, devices.signature, schedules.hash, kind",
    {OfProblem, OfDevice, {"schedule", "schedules.hash"}, Commit}};

template <>
inline const RecordTable table_of<SearchRunRecord> = {
    "runs",
    "runs JOIN problems ON problems.id = runs.problem JOIN devices ON devices.id = runs.device",
    "problems.signature, devices.signature, unix_seconds, runs.name",
    {{"id", "name"}, OfProblem, OfDevice, Commit}};
template <>
inline const RecordTable table_of<SearchFigure> = {"run_figures", "run_figures", "position"};
template <>
inline const RecordTable table_of<SearchEvent> = {
    "run_events",
    "run_events JOIN schedules ON schedules.id = run_events.schedule",
    "position",
    {{"schedule", "schedules.hash"}}};

template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;

// True for what a column has: a text, a number, a name, or a list of numbers, which is a blob.
template <class T>
constexpr bool is_column() {
  if constexpr (is_optional<T>) {
    return is_column<typename T::value_type>();
  } else if constexpr (requires(T list) { list.data(); }) {
    return std::is_trivially_copyable_v<typename T::value_type>;
  } else {
    return std::is_arithmetic_v<T> || std::is_enum_v<T>;
  }
}

template <class T>
SqlValue sql_value(const T& value) {
  if constexpr (is_optional<T>) {
    return value ? sql_value(*value) : SqlValue();
  } else if constexpr (std::is_same_v<T, std::string>) {
    return std::string_view(value);
  } else if constexpr (std::is_enum_v<T>) {
    return to_string(value);
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<std::int64_t>(value);
  } else if constexpr (std::is_floating_point_v<T>) {
    return value;
  } else {
    return std::as_bytes(std::span(value));
  }
}

template <class T>
void read_column(Transaction& transaction, const Rows& row, int column, T& value) {
  if constexpr (is_optional<T>) {
    value.reset();
    if (!row.is_null(column)) read_column(transaction, row, column, value.emplace());
  } else if constexpr (std::is_same_v<T, std::string>) {
    value = row.text(column);
  } else if constexpr (std::is_enum_v<T>) {
    value = transaction.checked(parse_as(row.text(column), T()));
  } else if constexpr (std::is_integral_v<T>) {
    value = static_cast<T>(row.integer(column));
  } else if constexpr (std::is_floating_point_v<T>) {
    // SQLite has no NaN, and takes it for NULL.
    value = row.is_null(column) ? std::numeric_limits<T>::quiet_NaN() : row.real(column);
  } else {
    value = row.list<typename T::value_type>(column);
  }
}

// Calls `work` with the name and the value of each field that is a column.
template <class T, class Work>
void visit_columns(T& record, const Work& work) {
  visit_fields(record, [&]<class Field>(const char* name, Field& field) {
    if constexpr (is_column<Field>()) work(name, field);
  });
}

// What is asked of rows.
struct RowCondition {
  std::string text = "true";
  std::vector<SqlValue> values = {};

  void add(std::string_view column, SqlValue value) {
    text += fmt::format(" AND {} = ?", column);
    values.push_back(value);
  }
};

// Rows that know neither problems nor devices are selected always.
template <class T>
RowCondition selected_rows(const StoreSelection& selection) {
  RowCondition condition;
  for (const auto& [field, wanted] :
       {std::pair("problem", &selection.problem), std::pair("device", &selection.device)}) {
    if (!wanted->empty() && table_of<T>.find_place(field))
      condition.add(table_of<T>.column_of(field), *wanted);
  }
  return condition;
}

// Calls `work` with the records of the rows that meet the condition, in order, and with the number
// of another column: that of the row, or of the row of the record which the list is of.
template <class T, class Work>
void for_each_record(Transaction& transaction, const char* number, const RowCondition& condition,
                     const Work& work) {
  const RecordTable& table = table_of<T>;
  std::vector<std::string> columns = {number};
  T record;
  visit_columns(record, [&](const char* name, auto&) { columns.push_back(table.column_of(name)); });
  Rows rows = transaction.query(
      fmt::format("SELECT {} FROM {} WHERE {} ORDER BY {}", fmt::join(columns, ", "), table.rows,
                  condition.text, table.order),
      condition.values);
  while (rows.next()) {
    int column = 0;
    visit_columns(
        record, [&](const char*, auto& field) { read_column(transaction, rows, ++column, field); });
    work(rows.integer(0), record);
  }
}

// Writes a row of the record's columns and others, which refer to rows of other tables.
template <class T>
void write_row(Transaction& transaction, const T& record,
               std::initializer_list<std::pair<std::string_view, SqlValue>> others = {}) {
  const RecordTable& table = table_of<T>;
  std::vector<std::string_view> columns;
  std::vector<SqlValue> values;
  for (const auto& [column, value] : others) {
    columns.push_back(column);
    values.push_back(value);
  }
  // visit_fields() takes structs that can be changed, because it also reads them.
  visit_columns(const_cast<T&>(record), [&](std::string_view name, const auto& field) {
    const FieldPlace* place = table.find_place(name);
    if (place && !place->is_written()) return;
    columns.push_back(place ? place->column : name);
    values.push_back(sql_value(field));
  });
  std::string text = fmt::format(
      "INSERT {} INTO {} ({}) VALUES ({})", table.is_merged ? "" : "OR REPLACE", table.name,
      fmt::join(columns, ", "), fmt::join(std::vector<const char*>(columns.size(), "?"), ", "));
  if (table.is_merged) {
    std::vector<std::string> merged;
    for (const std::string_view column : columns)
      merged.push_back(fmt::format("{0} = coalesce(excluded.{0}, {0})", column));
    text += fmt::format(" ON CONFLICT DO UPDATE SET {}", fmt::join(merged, ", "));
  }
  transaction.run(text, values);
}

}  // namespace thallo
