#include "core/explore/store/sqlite/read_records.h"

#include <map>
#include <string>

#include <fmt/format.h>

namespace thallo {
namespace {

constexpr const char* SamplesQuery =
    "SELECT problems.signature, devices.signature, keys.text, cache, seconds, reason, revision, "
    "unix_seconds, uuid FROM step_samples "
    "JOIN steps ON steps.id = step_samples.step JOIN keys ON keys.id = steps.key "
    "JOIN problems ON problems.id = steps.problem JOIN devices ON devices.id = step_samples.device "
    "WHERE {} ORDER BY problems.signature, devices.signature, keys.text, cache DESC";

StepSamples samples_of(Transaction& transaction, const Rows& row) {
  return {.slot = {.problem = row.text(0),
                   .device = row.text(1),
                   .key = row.text(2),
                   .cache = transaction.checked(parse_cache_state(row.text(3)))},
          .seconds = row.reals(4),
          .reason = row.text(5),
          .origin = {row.text(6), row.integer(7), row.text(8)}};
}

constexpr const char* ResultsQuery =
    "SELECT problems.signature, devices.signature, schedules.hash, kind, status, reason, "
    "nonlinear_seconds, linear_seconds, linear_iterations, samples, trace, verification_error, "
    "revision, unix_seconds, small_error, uuid FROM results JOIN schedules ON schedules.id = "
    "results.schedule "
    "JOIN problems ON problems.id = schedules.problem JOIN devices ON devices.id = results.device "
    "WHERE {} ORDER BY problems.signature, devices.signature, schedules.hash, kind";

ScheduleResult result_of(Transaction& transaction, const Rows& row) {
  ScheduleResult result = {.slot = {.problem = row.text(0),
                                    .device = row.text(1),
                                    .schedule = row.text(2),
                                    .kind = transaction.checked(parse_result_kind(row.text(3)))},
                           .status = transaction.checked(parse_result_status(row.text(4))),
                           .reason = row.text(5),
                           .nonlinear_seconds = row.real(6),
                           .linear_seconds = row.real(7),
                           .linear_iterations = row.real(8),
                           .samples = row.reals(9),
                           .origin = {row.text(12), row.integer(13), row.text(15)}};
  const std::vector<double> trace = row.reals(10);
  for (std::size_t i = 0; i + 1 < trace.size(); i += 2)
    result.trace.push_back({.seconds = trace[i], .cost = trace[i + 1]});
  if (!row.is_null(11)) result.verification_error = row.real(11);
  if (!row.is_null(14)) result.small_error = row.real(14);
  return result;
}

std::optional<std::int64_t> integer_or_nothing(const Rows& row, int column) {
  return row.is_null(column) ? std::nullopt : std::optional(row.integer(column));
}
std::optional<double> real_or_nothing(const Rows& row, int column) {
  return row.is_null(column) ? std::nullopt : std::optional(row.real(column));
}

// Maps the row id of a schedule to the record being assembled.
using SchedulesById = std::map<std::int64_t, ScheduleRecord*>;

void read_places(Transaction& transaction, const SchedulesById& schedules) {
  Rows rows = transaction.query(
      "SELECT schedule, spaces.name, number FROM places JOIN spaces ON spaces.id = places.space "
      "ORDER BY spaces.name");
  while (rows.next()) {
    const auto it = schedules.find(rows.integer(0));
    if (it == schedules.end()) continue;
    it->second->places.push_back(
        {rows.text(1), rows.is_null(2) ? std::nullopt : std::optional(rows.text(2))});
  }
}

void read_predictions(Transaction& transaction, const StoreSelection& selection,
                      const SchedulesById& schedules) {
  Rows rows = transaction.query(
      "SELECT schedule, devices.signature, model, nonlinear_seconds, linear_seconds "
      "FROM predictions JOIN devices ON devices.id = predictions.device "
      "WHERE (?1 = '' OR devices.signature = ?1) ORDER BY devices.signature, model",
      {selection.device});
  while (rows.next()) {
    const auto it = schedules.find(rows.integer(0));
    if (it == schedules.end()) continue;
    it->second->predictions.push_back({rows.text(1), rows.text(2), rows.real(3), rows.real(4)});
  }
}

void read_uses(Transaction& transaction, const StoreSelection& selection,
               const SchedulesById& schedules) {
  Rows rows = transaction.query(
      "SELECT schedule, devices.signature, keys.text, runs, predicted_seconds FROM uses "
      "JOIN devices ON devices.id = uses.device JOIN steps ON steps.id = uses.step "
      "JOIN keys ON keys.id = steps.key "
      "WHERE (?1 = '' OR devices.signature = ?1) ORDER BY devices.signature, keys.text",
      {selection.device});
  while (rows.next()) {
    const auto it = schedules.find(rows.integer(0));
    if (it == schedules.end()) continue;
    it->second->steps.push_back(
        {rows.text(1), rows.text(2), rows.real(3), real_or_nothing(rows, 4)});
  }
}

void read_decisions(Transaction& transaction, const SchedulesById& schedules) {
  Rows rows = transaction.query(
      "SELECT schedule, construct, site, choices.choice FROM decisions "
      "JOIN choices ON choices.id = decisions.choice ORDER BY schedule, position");
  while (rows.next()) {
    const auto it = schedules.find(rows.integer(0));
    if (it == schedules.end()) continue;
    it->second->decisions.push_back({rows.text(1), rows.text(2), rows.text(3)});
  }
}

}  // namespace

void read_records(Transaction& transaction, const StoreSelection& selection,
                  std::vector<DeviceRecord>& records) {
  Rows rows = transaction.query(
      "SELECT signature, name, backend, spec FROM devices "
      "WHERE (?1 = '' OR signature = ?1) ORDER BY signature",
      {selection.device});
  while (rows.next()) records.push_back({rows.text(0), rows.text(1), rows.text(2), rows.text(3)});
}

void read_records(Transaction& transaction, const StoreSelection& selection,
                  std::vector<ProblemRecord>& records) {
  Rows rows = transaction.query(
      "SELECT signature, name, options, title FROM problems WHERE (?1 = '' OR signature = ?1) "
      "ORDER BY signature",
      {selection.problem});
  while (rows.next()) records.push_back({rows.text(0), rows.text(1), rows.text(2), rows.text(3)});
}

void read_records(Transaction& transaction, const StoreSelection&,
                  std::vector<SpaceRecord>& records) {
  Rows rows = transaction.query("SELECT name, description FROM spaces ORDER BY name");
  while (rows.next()) records.push_back({rows.text(0), rows.text(1)});
}

void read_records(Transaction& transaction, const StoreSelection& selection,
                  std::vector<KernelRecord>& records) {
  Rows rows = transaction.query(
      "SELECT keys.text, compiler, role, registers, spill_bytes, shared_bytes, compile_seconds, "
      "reason FROM kernels "
      "JOIN keys ON keys.id = kernels.key WHERE ?1 = '' OR EXISTS (SELECT 1 FROM steps "
      "JOIN problems ON problems.id = steps.problem "
      "WHERE steps.kernel = kernels.key AND problems.signature = ?1) ORDER BY keys.text, compiler",
      {selection.problem});
  while (rows.next()) {
    records.push_back({.key = rows.text(0),
                       .compiler = rows.text(1),
                       .role = rows.text(2),
                       .registers = integer_or_nothing(rows, 3),
                       .spill_bytes = integer_or_nothing(rows, 4),
                       .shared_bytes = integer_or_nothing(rows, 5),
                       .compile_seconds = real_or_nothing(rows, 6),
                       .reason = rows.text(7)});
  }
}

void read_records(Transaction& transaction, const StoreSelection& selection,
                  std::vector<StepRecord>& records) {
  Rows rows = transaction.query(
      "SELECT problems.signature, keys.text, label, features, kernels.text FROM steps "
      "JOIN keys ON keys.id = steps.key JOIN problems ON problems.id = steps.problem "
      "LEFT JOIN keys AS kernels ON kernels.id = steps.kernel "
      "WHERE (?1 = '' OR problems.signature = ?1) ORDER BY problems.signature, keys.text",
      {selection.problem});
  while (rows.next()) {
    records.push_back({rows.text(0), rows.text(1), rows.text(2), rows.text(3),
                       rows.is_null(4) ? "" : rows.text(4)});
  }
}

void read_records(Transaction& transaction, const StoreSelection& selection,
                  std::vector<StepSamples>& records) {
  Rows rows = transaction.query(fmt::format(SamplesQuery,
                                            "(?1 = '' OR problems.signature = ?1) AND "
                                            "(?2 = '' OR devices.signature = ?2)"),
                                {selection.problem, selection.device});
  while (rows.next()) records.push_back(samples_of(transaction, rows));
}

void read_records(Transaction& transaction, const StoreSelection& selection,
                  std::vector<ScheduleRecord>& records) {
  std::vector<std::int64_t> ids;
  Rows rows = transaction.query(
      "SELECT schedules.id, problems.signature, hash, text, bytes, loop_bytes FROM schedules "
      "JOIN problems ON problems.id = schedules.problem "
      "WHERE (?1 = '' OR problems.signature = ?1) ORDER BY problems.signature, hash",
      {selection.problem});
  while (rows.next()) {
    ids.push_back(rows.integer(0));
    records.push_back({.problem = rows.text(1),
                       .hash = rows.text(2),
                       .text = rows.text(3),
                       .bytes = rows.integer(4),
                       .loop_bytes = real_or_nothing(rows, 5)});
  }
  SchedulesById schedules;
  for (std::size_t i = 0; i < ids.size(); ++i)
    schedules.emplace(ids[i], &records[records.size() - ids.size() + i]);
  read_places(transaction, schedules);
  read_predictions(transaction, selection, schedules);
  read_uses(transaction, selection, schedules);
  read_decisions(transaction, schedules);
}

void read_records(Transaction& transaction, const StoreSelection& selection,
                  std::vector<ScheduleResult>& records) {
  Rows rows = transaction.query(fmt::format(ResultsQuery,
                                            "(?1 = '' OR problems.signature = ?1) AND "
                                            "(?2 = '' OR devices.signature = ?2)"),
                                {selection.problem, selection.device});
  while (rows.next()) records.push_back(result_of(transaction, rows));
}

std::optional<StepSamples> find_result(Transaction& transaction, const StepSlot& slot) {
  Rows rows = transaction.query(fmt::format(SamplesQuery,
                                            "problems.signature = ? AND devices.signature = ? AND "
                                            "keys.text = ? AND cache = ?"),
                                {slot.problem, slot.device, slot.key, to_string(slot.cache)});
  if (!rows.next()) return std::nullopt;
  return samples_of(transaction, rows);
}

std::optional<ScheduleResult> find_result(Transaction& transaction, const ScheduleSlot& slot) {
  Rows rows = transaction.query(fmt::format(ResultsQuery,
                                            "problems.signature = ? AND devices.signature = ? AND "
                                            "schedules.hash = ? AND kind = ?"),
                                {slot.problem, slot.device, slot.schedule, to_string(slot.kind)});
  if (!rows.next()) return std::nullopt;
  return result_of(transaction, rows);
}

}  // namespace thallo
