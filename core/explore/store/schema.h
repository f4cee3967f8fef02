// The tables of a store, and how an older store gets those of today.
#pragma once

#include <cstdint>
#include <span>

#include "core/base/diagnostic.h"
#include "core/explore/store/database.h"

namespace thallo {

// Of a SQLite file: marks it as a store ("thlo").
inline constexpr std::int64_t StoreApplicationId = 0x74686c6f;

// Scripts of SQL; script i makes version i + 1 of the tables from version i. Version 0 is an empty
// file.
std::span<const char* const> store_scripts();

// Brings the tables to version `scripts.size()`, in one transaction. Fails, with the file as it
// was, when it has tables but is no store, or was written by a later version.
Expected<void> migrate(Database& database, std::span<const char* const> scripts);

// Fails when the tables are not of that version, or the file is no store.
Expected<void> check_version(Database& database, std::size_t version);

}  // namespace thallo
