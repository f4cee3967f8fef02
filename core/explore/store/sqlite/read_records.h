// Reads records from the tables of a store.
#pragma once

#include <optional>
#include <vector>

#include "core/explore/store/sqlite/database.h"
#include "core/explore/store/store.h"

namespace thallo {

// Each function appends the selected records of one type, sorted by the texts that identify them.
void read_records(Transaction& transaction, const StoreSelection& selection,
                  std::vector<DeviceRecord>& records);
void read_records(Transaction& transaction, const StoreSelection& selection,
                  std::vector<ProblemRecord>& records);
void read_records(Transaction& transaction, const StoreSelection& selection,
                  std::vector<SpaceRecord>& records);
void read_records(Transaction& transaction, const StoreSelection& selection,
                  std::vector<KernelRecord>& records);
void read_records(Transaction& transaction, const StoreSelection& selection,
                  std::vector<StepRecord>& records);
void read_records(Transaction& transaction, const StoreSelection& selection,
                  std::vector<StepSamples>& records);
void read_records(Transaction& transaction, const StoreSelection& selection,
                  std::vector<ScheduleRecord>& records);
void read_records(Transaction& transaction, const StoreSelection& selection,
                  std::vector<ScheduleResult>& records);

std::optional<StepSamples> find_result(Transaction& transaction, const StepSlot& slot);
std::optional<ScheduleResult> find_result(Transaction& transaction, const ScheduleSlot& slot);

}  // namespace thallo
