#include "core/explore/store/sqlite/checksums.h"

#include <cstddef>
#include <span>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sqlite3.h>

#include "core/base/hash.h"

namespace thallo {
namespace {

// A table, and an expression that names one of its records. Leases are not records.
struct CheckedTable {
  const char* table;
  const char* name;
};

#define OF_SCHEDULE " of schedule ' || (SELECT hash FROM schedules WHERE id = schedule)"
#define OF_RUN " of run ' || (SELECT name FROM runs WHERE id = run)"
constexpr CheckedTable Tables[] = {
    {"devices", "'device ' || signature"},
    {"problems", "'problem ' || signature"},
    {"spaces", "'space ' || name"},
    {"keys", "'key ' || text"},
    {"kernels", "'kernel ' || role || ' for ' || compiler"},
    {"steps", "'step ' || label"},
    {"step_samples", "cache || ' samples of step ' || (SELECT label FROM steps WHERE id = step)"},
    {"schedules", "'schedule ' || hash"},
    {"places", "'place" OF_SCHEDULE},
    {"predictions", "'prediction by ' || model || '" OF_SCHEDULE},
    {"results", "kind || ' result" OF_SCHEDULE},
    {"uses", "'a step" OF_SCHEDULE},
    {"choices", "'choice of ' || construct || ' at ' || site"},
    {"decisions", "'decision ' || position || '" OF_SCHEDULE},
    {"runs", "'run ' || name"},
    {"run_settings", "'setting ' || name || '" OF_RUN},
    {"run_figures", "'figure ' || name || '" OF_RUN},
    {"run_events", "'event ' || position || '" OF_RUN}};
#undef OF_SCHEDULE
#undef OF_RUN

// Checksums cover types, too: a flipped bit may make a number of a text.
void checksum_of(sqlite3_context* context, int num_values, sqlite3_value** values) {
  Hasher hasher;
  for (sqlite3_value* value : std::span(values, static_cast<std::size_t>(num_values))) {
    const int type = sqlite3_value_type(value);
    hasher.update(type);
    switch (type) {
      case SQLITE_INTEGER: hasher.update(sqlite3_value_int64(value)); break;
      case SQLITE_FLOAT: hasher.update(sqlite3_value_double(value)); break;
      case SQLITE_NULL: break;
      default: {
        const auto* bytes = static_cast<const std::byte*>(sqlite3_value_blob(value));
        hasher.update(std::span(bytes, static_cast<std::size_t>(sqlite3_value_bytes(value))));
      }
    }
  }
  sqlite3_result_int64(context, static_cast<std::int64_t>(hasher.finish().low));
}

// The columns of a table.
struct Columns {
  std::vector<std::string> all;  // but the checksum
  std::vector<std::string> key;  // which identify a row
  bool has_checksum = false;
};

Columns columns_of(Transaction& transaction, const char* table) {
  Columns columns;
  Rows rows = transaction.query("SELECT name, pk FROM pragma_table_info(?)", {table});
  while (rows.next()) {
    if (rows.text(0) == "checksum") {
      columns.has_checksum = true;
    } else {
      columns.all.push_back(rows.text(0));
    }
    if (rows.integer(1) > 0) columns.key.push_back(rows.text(0));
  }
  return columns;
}

// "checksum_of(NEW.a, NEW.b)"
std::string checksum_text(const Columns& columns, std::string_view row = "") {
  return fmt::format("checksum_of({0}{1})", row, fmt::join(columns.all, fmt::format(", {}", row)));
}

}  // namespace

void add_checksum_function(sqlite3* connection) {
  constexpr int AnyNumber = -1;
  sqlite3_create_function_v2(connection, "checksum_of", AnyNumber,
                             SQLITE_UTF8 | SQLITE_DETERMINISTIC, nullptr, checksum_of, nullptr,
                             nullptr, nullptr);
}

void write_checksums(Transaction& transaction) {
  for (const auto& [table, _] : Tables) {
    const Columns columns = columns_of(transaction, table);
    if (columns.has_checksum)
      transaction.run(fmt::format("UPDATE {} SET checksum = {}", table, checksum_text(columns)));
  }
}

Expected<void> keep_checksums(Database& database) {
  Transaction transaction(database, Transaction::Kind::Read);
  for (const auto& [table, _] : Tables) {
    const Columns columns = columns_of(transaction, table);
    std::vector<std::string> same_row;
    for (const std::string& column : columns.key)
      same_row.push_back(fmt::format("{0} = NEW.{0}", column));
    for (const std::string& change :
         {std::string("INSERT"), fmt::format("UPDATE OF {}", fmt::join(columns.all, ", "))}) {
      transaction.run(
          fmt::format("CREATE TEMP TRIGGER {0}_{1:.6} AFTER {1} ON main.{0} BEGIN "
                      "UPDATE {0} SET checksum = {2} WHERE {3}; END",
                      table, change, checksum_text(columns, "NEW."), fmt::join(same_row, " AND ")));
    }
  }
  return transaction.commit();
}

std::vector<std::string> find_damaged(Transaction& transaction) {
  std::vector<std::string> damaged;
  for (const auto& [table, name] : Tables) {
    Rows rows = transaction.query(
        fmt::format("SELECT coalesce({}, 'a row of {}') FROM {} WHERE checksum <> {}", name, table,
                    table, checksum_text(columns_of(transaction, table))));
    while (rows.next()) damaged.push_back(rows.text(0));
  }
  return damaged;
}

}  // namespace thallo
