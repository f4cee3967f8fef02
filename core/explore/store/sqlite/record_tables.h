// The tables in which records lie (schema.h has their columns). A field of a record
// (core/base/fields.h) is a column of its name, unless its table says otherwise; a list of structs
// is a table of its own.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "core/explore/store/store_records.h"

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

}  // namespace thallo
