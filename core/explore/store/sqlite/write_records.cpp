#include "core/explore/store/sqlite/write_records.h"

#include <optional>
#include <set>
#include <string>
#include <type_traits>
#include <variant>

#include "core/explore/store/sqlite/leases.h"
#include "core/explore/store/sqlite/read_records.h"
#include "core/explore/store/sqlite/references.h"
#include "core/explore/store/sqlite/search_runs.h"

namespace thallo {
namespace {

void write(Transaction& transaction, const DeviceRecord& record) {
  transaction.run(
      "INSERT INTO devices (signature, name, backend, spec) VALUES (?, ?, ?, ?) "
      "ON CONFLICT (signature) DO UPDATE SET name = excluded.name, backend = excluded.backend, "
      "spec = CASE excluded.spec WHEN '' THEN spec ELSE excluded.spec END",
      {record.signature, record.name, record.backend, record.spec});
}

void write(Transaction& transaction, const ProblemRecord& record) {
  transaction.run(
      "INSERT INTO problems (signature, name, options, title) VALUES (?, ?, ?, ?) "
      "ON CONFLICT (signature) DO UPDATE SET name = excluded.name, options = excluded.options, "
      "title = excluded.title",
      {record.signature, record.name, record.options, record.title});
}

void write(Transaction& transaction, const SpaceRecord& record) {
  transaction.run(
      "INSERT INTO spaces (name, description) VALUES (?, ?) ON CONFLICT (name) "
      "DO UPDATE SET description = excluded.description",
      {record.id, record.description});
}

template <class T>
SqlValue value_or_null(const std::optional<T>& value) {
  return value ? SqlValue(*value) : SqlValue();
}

// Properties of the kernel that the record does not know keep their stored values.
void write(Transaction& transaction, const KernelRecord& record) {
  transaction.run(
      "INSERT INTO kernels (key, compiler, role, registers, spill_bytes, shared_bytes, "
      "compile_seconds, reason) VALUES (?, ?, ?, ?, ?, ?, ?, ?) "
      "ON CONFLICT (key, compiler) DO UPDATE SET role = excluded.role, "
      "registers = coalesce(excluded.registers, registers), "
      "spill_bytes = coalesce(excluded.spill_bytes, spill_bytes), "
      "shared_bytes = coalesce(excluded.shared_bytes, shared_bytes), "
      "compile_seconds = coalesce(excluded.compile_seconds, compile_seconds), "
      "reason = excluded.reason",
      {key_id(transaction, record.key), record.compiler, record.role,
       value_or_null(record.registers), value_or_null(record.spill_bytes),
       value_or_null(record.shared_bytes), value_or_null(record.compile_seconds), record.reason});
}

void write(Transaction& transaction, const StepRecord& record) {
  transaction.run(
      "INSERT INTO steps (problem, key, label, features, kernel) VALUES (?, ?, ?, ?, ?) "
      "ON CONFLICT (problem, key) DO UPDATE SET label = excluded.label, "
      "features = excluded.features, kernel = coalesce(excluded.kernel, kernel)",
      {problem_id(transaction, record.problem), key_id(transaction, record.key), record.label,
       record.features,
       record.kernel.empty() ? SqlValue() : SqlValue(key_id(transaction, record.kernel))});
}

// What is known of a schedule's decisions stays.
void write_decisions(Transaction& transaction, std::int64_t schedule,
                     const std::vector<Decision>& decisions) {
  std::int64_t position = 0;
  for (const auto& [construct, site, choice] : decisions) {
    transaction.run(
        "INSERT OR REPLACE INTO decisions (schedule, position, choice) VALUES (?, ?, ?)",
        {schedule, position++, choice_id(transaction, construct, site, choice)});
  }
}

void write(Transaction& transaction, const ScheduleRecord& record) {
  transaction.run(
      "INSERT INTO schedules (problem, hash, text, bytes, loop_bytes) VALUES (?, ?, ?, ?, ?) "
      "ON CONFLICT (problem, hash) DO UPDATE SET text = excluded.text, bytes = excluded.bytes, "
      "loop_bytes = coalesce(excluded.loop_bytes, loop_bytes)",
      {problem_id(transaction, record.problem), record.hash, record.text, record.bytes,
       value_or_null(record.loop_bytes)});
  const std::int64_t schedule = schedule_id(transaction, record.problem, record.hash);
  write_decisions(transaction, schedule, record.decisions);
  for (const SchedulePlace& place : record.places) {
    transaction.run("INSERT OR REPLACE INTO places (schedule, space, number) VALUES (?, ?, ?)",
                    {schedule, space_id(transaction, place.space),
                     place.index ? SqlValue(*place.index) : SqlValue()});
  }
  for (const SchedulePrediction& prediction : record.predictions) {
    transaction.run(
        "INSERT OR REPLACE INTO predictions "
        "(schedule, device, model, nonlinear_seconds, linear_seconds) VALUES (?, ?, ?, ?, ?)",
        {schedule, device_id(transaction, prediction.device), prediction.model,
         prediction.nonlinear_seconds, prediction.linear_seconds});
  }
  // The record has the steps of the schedule's current program; they replace those that are stored.
  std::set<std::string> devices;
  for (const StepUse& use : record.steps) {
    if (!devices.insert(use.device).second) continue;
    transaction.run("DELETE FROM uses WHERE schedule = ? AND device = ?",
                    {schedule, device_id(transaction, use.device)});
  }
  for (const StepUse& use : record.steps) {
    transaction.run(
        "INSERT OR REPLACE INTO uses (schedule, device, step, runs, predicted_seconds) "
        "VALUES (?, ?, ?, ?, ?)",
        {schedule, device_id(transaction, use.device),
         step_id(transaction, record.problem, use.key), use.runs,
         value_or_null(use.predicted_seconds)});
  }
}

void write(Transaction& transaction, const StepSamples& record) {
  transaction.run(
      "INSERT OR REPLACE INTO step_samples "
      "(step, device, cache, seconds, reason, revision, unix_seconds, uuid) "
      "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
      {step_id(transaction, record.slot.problem, record.slot.key),
       device_id(transaction, record.slot.device), to_string(record.slot.cache),
       std::span(record.seconds), record.reason, record.origin.commit, record.origin.unix_seconds,
       record.origin.uuid});
}

void write(Transaction& transaction, const ScheduleResult& record) {
  std::vector<double> trace;
  for (const CostPoint& point : record.trace) {
    trace.push_back(point.seconds);
    trace.push_back(point.cost);
  }
  const ScheduleSlot& slot = record.slot;
  transaction.run(
      "INSERT OR REPLACE INTO results (schedule, device, kind, status, reason, nonlinear_seconds, "
      "linear_seconds, linear_iterations, samples, trace, verification_error, small_error, "
      "revision, unix_seconds, uuid) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
      {schedule_id(transaction, slot.problem, slot.schedule), device_id(transaction, slot.device),
       to_string(slot.kind), to_string(record.status), record.reason, record.nonlinear_seconds,
       record.linear_seconds, record.linear_iterations, std::span(record.samples), std::span(trace),
       value_or_null(record.verification_error), value_or_null(record.small_error),
       record.origin.commit, record.origin.unix_seconds, record.origin.uuid});
}

std::size_t num_samples(const StepSamples& result) { return result.seconds.size(); }
std::size_t num_samples(const ScheduleResult& result) { return result.samples.size(); }

template <class T>
bool is_replaced(const T& old, const T& result, Existing existing) {
  if (existing == Existing::Replace) return true;
  if (old.is_ok() != result.is_ok()) return result.is_ok();
  return existing == Existing::KeepMoreSamples && num_samples(result) > num_samples(old);
}

template <class T>
void write_result(Transaction& transaction, const T& result, Existing existing,
                  StoreChanges& changes) {
  end_lease(transaction, result.slot);
  const std::optional<T> old = find_result(transaction, result.slot);
  if (old && *old == result) {
    ++changes.same;
    return;
  }
  if (old && !is_replaced(*old, result, existing)) {
    ++changes.kept;
    return;
  }
  write(transaction, result);
  ++(old ? changes.replaced : changes.added);
}

}  // namespace

void write_record(Transaction& transaction, const StoreRecord& record, Existing existing,
                  StoreChanges& changes) {
  if (auto valid = check_record(record); !valid) {
    transaction.fail(valid.error());
    return;
  }
  std::visit(
      [&](const auto& r) {
        using T = std::decay_t<decltype(r)>;
        if constexpr (std::is_same_v<T, StepSamples> || std::is_same_v<T, ScheduleResult>) {
          write_result(transaction, r, existing, changes);
        } else if constexpr (std::is_same_v<T, SearchRunRecord>) {
          write_run(transaction, r, existing, changes);
        } else {
          write(transaction, r);
        }
      },
      record);
}

}  // namespace thallo
