// Writes records to the tables of a store.
#pragma once

#include "core/explore/store/sqlite/database.h"
#include "core/explore/store/store.h"

namespace thallo {

// Implements MeasurementStore::add() for one record. Counts a result in `changes`. The transaction
// fails if the record refers to something that does not exist.
void write_record(Transaction& transaction, const StoreRecord& record, Existing existing,
                  StoreChanges& changes);

}  // namespace thallo
