// The tables of a store, and the upgrade of older stores to the current tables.
#pragma once

#include <cstdint>
#include <span>

#include "core/base/diagnostic.h"
#include "core/explore/store/sqlite/database.h"

namespace thallo {

// The application id in the header of the SQLite file, "thlo", which marks it as a store.
inline constexpr std::int64_t StoreApplicationId = 0x74686c6f;

// SQL scripts. Script i upgrades the tables from version i to version i + 1; version 0 is an empty
// file.
std::span<const char* const> store_scripts();

// Upgrades the tables to version `scripts.size()`, in one transaction. Fails and leaves the file
// unchanged if it has tables but is not a store, or if a later version wrote it.
Expected<void> migrate(Database& database, std::span<const char* const> scripts);

// Fails if the tables have none of these versions, or if the file is not a store.
Expected<void> check_version(Database& database, std::size_t oldest, std::size_t newest);

}  // namespace thallo
