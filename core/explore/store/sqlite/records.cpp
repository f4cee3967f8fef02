#include "core/explore/store/sqlite/records.h"

#include <map>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

#include "core/explore/store/sqlite/leases.h"
#include "core/explore/store/sqlite/record_rows.h"
#include "core/explore/store/sqlite/references.h"
#include "core/explore/store/sqlite/search_runs.h"

namespace thallo {
namespace {

template <class T>
std::vector<T> read_rows(Transaction& transaction, const RowCondition& condition) {
  std::vector<T> records;
  for_each_record<T>(transaction, "0", condition,
                     [&](std::int64_t, T& record) { records.push_back(std::move(record)); });
  return records;
}

// Reads those lists of the schedules that have one type. The schedules are given by their rows.
template <class T>
void read_lists(Transaction& transaction, const StoreSelection& selection,
                const std::map<std::int64_t, ScheduleRecord*>& schedules,
                std::vector<T> ScheduleRecord::*list) {
  for_each_record<T>(transaction, "schedule", selected_rows<T>(selection),
                     [&](std::int64_t row, T& entry) {
                       const auto schedule = schedules.find(row);
                       if (schedule != schedules.end())
                         (schedule->second->*list).push_back(std::move(entry));
                     });
}

template <class T>
std::optional<T> find_row(Transaction& transaction, decltype(T::slot) slot) {
  RowCondition condition;
  visit_columns(slot, [&](const char* field, const auto& value) {
    condition.add(table_of<T>.column_of(field), sql_value(value));
  });
  std::vector<T> found = read_rows<T>(transaction, condition);
  return found.empty() ? std::nullopt : std::optional(std::move(found.front()));
}

template <class T>
void write(Transaction& transaction, const T& record) {
  write_row(transaction, record);
}

// The record of an earlier version does not know the spec.
void write(Transaction& transaction, DeviceRecord record) {
  if (record.spec.empty()) {
    Rows old =
        transaction.query("SELECT spec FROM devices WHERE signature = ?", {record.signature});
    if (old.next()) record.spec = old.text(0);
  }
  write_row(transaction, record);
}

void write(Transaction& transaction, const KernelRecord& record) {
  write_row(transaction, record, {{"key", key_id(transaction, record.key)}});
}

void write(Transaction& transaction, const StepRecord& record) {
  const SqlValue kernel =
      record.kernel.empty() ? SqlValue() : SqlValue(key_id(transaction, record.kernel));
  write_row(transaction, record,
            {{"problem", problem_id(transaction, record.problem)},
             {"key", key_id(transaction, record.key)},
             {"kernel", kernel}});
}

void write(Transaction& transaction, const ScheduleRecord& record) {
  write_row(transaction, record, {{"problem", problem_id(transaction, record.problem)}});
  const std::int64_t schedule = schedule_id(transaction, record.problem, record.hash);
  // What is known of a schedule's decisions stays.
  std::int64_t position = 0;
  for (const Decision& decision : record.decisions) {
    write_row(transaction, decision,
              {{"schedule", schedule},
               {"position", position++},
               {"choice", choice_id(transaction, decision)}});
  }
  for (const SchedulePlace& place : record.places) {
    write_row(transaction, place,
              {{"schedule", schedule}, {"space", space_id(transaction, place.space)}});
  }
  for (const SchedulePrediction& prediction : record.predictions) {
    write_row(transaction, prediction,
              {{"schedule", schedule}, {"device", device_id(transaction, prediction.device)}});
  }
  // The record has the steps of the schedule's current program; they replace those that are stored.
  std::set<std::string> devices;
  for (const StepUse& use : record.steps) {
    const std::int64_t device = device_id(transaction, use.device);
    if (devices.insert(use.device).second)
      transaction.run("DELETE FROM uses WHERE schedule = ? AND device = ?", {schedule, device});
    write_row(transaction, use,
              {{"schedule", schedule},
               {"device", device},
               {"step", step_id(transaction, record.problem, use.key)}});
  }
}

void write(Transaction& transaction, const StepSamples& record) {
  const StepSlot& slot = record.slot;
  write_row(transaction, record,
            {{"step", step_id(transaction, slot.problem, slot.key)},
             {"device", device_id(transaction, slot.device)}});
}

void write(Transaction& transaction, const ScheduleResult& record) {
  const ScheduleSlot& slot = record.slot;
  write_row(transaction, record,
            {{"schedule", schedule_id(transaction, slot.problem, slot.schedule)},
             {"device", device_id(transaction, slot.device)}});
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

template <class T>
std::vector<T> read_records(Transaction& transaction, const StoreSelection& selection) {
  return read_rows<T>(transaction, selected_rows<T>(selection));
}
template std::vector<DeviceRecord> read_records(Transaction&, const StoreSelection&);
template std::vector<ProblemRecord> read_records(Transaction&, const StoreSelection&);
template std::vector<SpaceRecord> read_records(Transaction&, const StoreSelection&);
template std::vector<StepRecord> read_records(Transaction&, const StoreSelection&);
template std::vector<StepSamples> read_records(Transaction&, const StoreSelection&);
template std::vector<ScheduleResult> read_records(Transaction&, const StoreSelection&);

template <>
std::vector<KernelRecord> read_records(Transaction& transaction, const StoreSelection& selection) {
  RowCondition condition;
  if (!selection.problem.empty()) {
    condition = {
        "EXISTS (SELECT 1 FROM steps JOIN problems ON problems.id = steps.problem "
        "WHERE steps.kernel = kernels.key AND problems.signature = ?)",
        {selection.problem}};
  }
  return read_rows<KernelRecord>(transaction, condition);
}

template <>
std::vector<ScheduleRecord> read_records(Transaction& transaction,
                                         const StoreSelection& selection) {
  std::vector<std::int64_t> rows;
  std::vector<ScheduleRecord> records;
  for_each_record<ScheduleRecord>(transaction, "schedules.id",
                                  selected_rows<ScheduleRecord>(selection),
                                  [&](std::int64_t row, ScheduleRecord& record) {
                                    rows.push_back(row);
                                    records.push_back(std::move(record));
                                  });
  std::map<std::int64_t, ScheduleRecord*> schedules;
  for (std::size_t i = 0; i < rows.size(); ++i) schedules.emplace(rows[i], &records[i]);
  read_lists(transaction, selection, schedules, &ScheduleRecord::places);
  read_lists(transaction, selection, schedules, &ScheduleRecord::predictions);
  read_lists(transaction, selection, schedules, &ScheduleRecord::steps);
  read_lists(transaction, selection, schedules, &ScheduleRecord::decisions);
  return records;
}

std::optional<StepSamples> find_result(Transaction& transaction, const StepSlot& slot) {
  return find_row<StepSamples>(transaction, slot);
}
std::optional<ScheduleResult> find_result(Transaction& transaction, const ScheduleSlot& slot) {
  return find_row<ScheduleResult>(transaction, slot);
}

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
