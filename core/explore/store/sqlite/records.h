// Reads records from the tables of a store, and writes them.
#pragma once

#include <optional>
#include <vector>

#include "core/explore/store/sqlite/database.h"
#include "core/explore/store/store.h"

namespace thallo {

// Returns the selected records of one type, sorted by the texts that identify them.
template <class T>
std::vector<T> read_records(Transaction& transaction, const StoreSelection& selection);

std::optional<StepSamples> find_result(Transaction& transaction, const StepSlot& slot);
std::optional<ScheduleResult> find_result(Transaction& transaction, const ScheduleSlot& slot);

// Implements MeasurementStore::add() for one record. Counts a result in `changes`. The transaction
// fails if the record refers to something that does not exist.
void write_record(Transaction& transaction, const StoreRecord& record, Existing existing,
                  StoreChanges& changes);

}  // namespace thallo
