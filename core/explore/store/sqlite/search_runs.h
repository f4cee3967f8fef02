// The runs of searches in the tables of a store. A run is written while it goes on: it is begun,
// extended by what the search finds, and ended.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/explore/store/sqlite/records.h"

namespace thallo {

// Implements MeasurementStore::begin_run() and extend_run() for a holder of leases.
SearchRunRecord begin_run(Transaction& transaction, const SearchRunRecord& asked,
                          std::string_view holder, Existing existing);
void extend_run(Transaction& transaction, const std::string& id,
                std::span<const SearchEvent> events, const SearchState& state);

// Writes a whole run that nobody is writing now. Counts it in `changes`, as a result.
void write_run(Transaction& transaction, const SearchRunRecord& record, Existing existing,
               StoreChanges& changes);
// Runs are sorted by problem, device, beginning and id.
template <>
std::vector<SearchRunRecord> read_records(Transaction& transaction,
                                          const StoreSelection& selection);

}  // namespace thallo
