// Writes records to the tables of a store.
#pragma once

#include "core/explore/store.h"
#include "core/explore/store/database.h"

namespace thallo {

// MeasurementStore::add() for one record; counts a result in `changes`. What it refers to must be
// there, else the transaction fails.
void write_record(Transaction& transaction, const StoreRecord& record, Existing existing,
                  StoreChanges& changes);

}  // namespace thallo
