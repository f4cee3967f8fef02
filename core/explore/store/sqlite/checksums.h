// Checksums of the rows of a store. Each row of a table that keeps records has one of all its other
// columns, by which a damaged row is found and named. SQLite alone notices damage of a page's
// structure, but none of a number or a text.
#pragma once

#include <string>
#include <vector>

#include "core/explore/store/sqlite/database.h"

namespace thallo {

// The SQL function that computes checksums, for the connection.
void add_checksum_function(sqlite3* connection);

// Writes the checksums of all rows, in tables that have them.
void write_checksums(Transaction& transaction);
// Lets this connection write the checksum of each row that it adds or changes.
Expected<void> keep_checksums(Database& database);

// Returns the names of the records that differ from their checksums: "composed result of schedule
// 1f0c...".
std::vector<std::string> find_damaged(Transaction& transaction);

}  // namespace thallo
