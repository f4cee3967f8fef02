// Writes records to the tables of a store.
#pragma once

#include "core/explore/store.h"
#include "core/explore/store/database.h"

namespace thallo {

// Implements MeasurementStore::add() for one record. Counts a result in `changes`. The transaction
// fails if the record refers to something that does not exist.
void write_record(Transaction& transaction, const StoreRecord& record, Existing existing,
                  StoreChanges& changes);

}  // namespace thallo
