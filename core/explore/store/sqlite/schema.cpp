#include "core/explore/store/sqlite/schema.h"

#include <fmt/format.h>

#include "core/explore/store/sqlite/checksums.h"

namespace thallo {
namespace {

// A released script is never changed; a change of the tables needs a new script.
//
// Texts that many rows share (signatures, keys) are stored once and referred to by number, so that
// a store of ten thousand schedules stays at some megabytes. Samples are blobs of little-endian
// doubles, traces likewise with seconds and cost in turn. The times of leases are milliseconds.
constexpr const char* Version1 = R"(
CREATE TABLE devices (
  id INTEGER PRIMARY KEY, signature TEXT NOT NULL UNIQUE, name TEXT NOT NULL,
  backend TEXT NOT NULL);
CREATE TABLE problems (
  id INTEGER PRIMARY KEY, signature TEXT NOT NULL UNIQUE, name TEXT NOT NULL,
  options TEXT NOT NULL, title TEXT NOT NULL);
CREATE TABLE spaces (
  id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, description TEXT NOT NULL);
CREATE TABLE keys (
  id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE);

CREATE TABLE kernels (
  key INTEGER NOT NULL REFERENCES keys, compiler TEXT NOT NULL, role TEXT NOT NULL,
  registers INTEGER NOT NULL, spill_bytes INTEGER NOT NULL, reason TEXT NOT NULL,
  PRIMARY KEY (key, compiler)) WITHOUT ROWID;
CREATE TABLE steps (
  id INTEGER PRIMARY KEY, problem INTEGER NOT NULL REFERENCES problems,
  key INTEGER NOT NULL REFERENCES keys, label TEXT NOT NULL, features TEXT NOT NULL,
  UNIQUE (problem, key));
CREATE TABLE step_samples (
  step INTEGER NOT NULL REFERENCES steps, device INTEGER NOT NULL REFERENCES devices,
  cache TEXT NOT NULL CHECK (cache IN ('hot', 'evicted')), seconds BLOB NOT NULL,
  reason TEXT NOT NULL, revision TEXT NOT NULL, unix_seconds INTEGER NOT NULL,
  PRIMARY KEY (step, device, cache)) WITHOUT ROWID;

CREATE TABLE schedules (
  id INTEGER PRIMARY KEY, problem INTEGER NOT NULL REFERENCES problems, hash TEXT NOT NULL,
  text TEXT NOT NULL, bytes INTEGER NOT NULL, UNIQUE (problem, hash));
CREATE TABLE places (
  schedule INTEGER NOT NULL REFERENCES schedules, space INTEGER NOT NULL REFERENCES spaces,
  number TEXT, PRIMARY KEY (schedule, space)) WITHOUT ROWID;
CREATE TABLE predictions (
  schedule INTEGER NOT NULL REFERENCES schedules, device INTEGER NOT NULL REFERENCES devices,
  model TEXT NOT NULL, nonlinear_seconds REAL NOT NULL, linear_seconds REAL NOT NULL,
  PRIMARY KEY (schedule, device, model)) WITHOUT ROWID;
CREATE TABLE results (
  id INTEGER PRIMARY KEY, schedule INTEGER NOT NULL REFERENCES schedules,
  device INTEGER NOT NULL REFERENCES devices,
  kind TEXT NOT NULL CHECK (kind IN ('composed', 'end_to_end')), status TEXT NOT NULL,
  reason TEXT NOT NULL, nonlinear_seconds REAL NOT NULL, linear_seconds REAL NOT NULL,
  linear_iterations REAL NOT NULL, samples BLOB NOT NULL, trace BLOB NOT NULL,
  verification_error REAL, revision TEXT NOT NULL, unix_seconds INTEGER NOT NULL,
  UNIQUE (schedule, device, kind));

CREATE TABLE leases (
  problem INTEGER NOT NULL REFERENCES problems, device INTEGER NOT NULL REFERENCES devices,
  work TEXT NOT NULL, holder TEXT NOT NULL, expires INTEGER NOT NULL,
  PRIMARY KEY (problem, device, work)) WITHOUT ROWID;
)";

// Unknown properties of kernels are NULL. Steps refer to the kernel that they launch, and schedules
// to their steps.
constexpr const char* Version2 = R"(
ALTER TABLE kernels RENAME TO kernels_of_version_1;
CREATE TABLE kernels (
  key INTEGER NOT NULL REFERENCES keys, compiler TEXT NOT NULL, role TEXT NOT NULL,
  registers INTEGER, spill_bytes INTEGER, shared_bytes INTEGER, compile_seconds REAL,
  reason TEXT NOT NULL, PRIMARY KEY (key, compiler)) WITHOUT ROWID;
INSERT INTO kernels SELECT key, compiler, role, registers, spill_bytes, NULL, NULL, reason
  FROM kernels_of_version_1;
DROP TABLE kernels_of_version_1;
ALTER TABLE steps ADD COLUMN kernel INTEGER REFERENCES keys;
CREATE TABLE uses (
  schedule INTEGER NOT NULL REFERENCES schedules, device INTEGER NOT NULL REFERENCES devices,
  step INTEGER NOT NULL REFERENCES steps, runs REAL NOT NULL, predicted_seconds REAL,
  PRIMARY KEY (schedule, device, step)) WITHOUT ROWID;
ALTER TABLE results ADD COLUMN small_error REAL;
)";

// Schedules say what they decide, in order. A schedule that has a text and no decisions is of an
// earlier version.
constexpr const char* Version3 = R"(
CREATE TABLE choices (
  id INTEGER PRIMARY KEY, construct TEXT NOT NULL, site TEXT NOT NULL, choice TEXT NOT NULL,
  UNIQUE (construct, site, choice));
CREATE TABLE decisions (
  schedule INTEGER NOT NULL REFERENCES schedules, position INTEGER NOT NULL,
  choice INTEGER NOT NULL REFERENCES choices, PRIMARY KEY (schedule, position)) WITHOUT ROWID;
)";

// Devices say by which spec predictions were made for them, and schedules how much a linear
// iteration touches; empty and NULL for those of earlier versions.
constexpr const char* Version4 = R"(
ALTER TABLE devices ADD COLUMN spec TEXT NOT NULL DEFAULT '';
ALTER TABLE schedules ADD COLUMN loop_bytes REAL;
)";

// A device is a kind of device: its uuid, which was a part of the signature, is that of a result.
// Devices of one kind become one; of two results of one slot, that of the first device is kept.
constexpr const char* Version5 = R"(
ALTER TABLE step_samples ADD COLUMN uuid TEXT NOT NULL DEFAULT '';
ALTER TABLE results ADD COLUMN uuid TEXT NOT NULL DEFAULT '';
CREATE TEMP TABLE kinds AS SELECT id, signature,
  substr(signature, 1, instr(signature, ', uuid ') - 1) ||
    substr(signature, instr(signature, ', uuid ') + 39) AS kind,
  substr(signature, instr(signature, ', uuid ') + 7, 32) AS uuid, 0 AS kept
  FROM devices WHERE signature GLOB '*, uuid [0-9a-f]*';
UPDATE kinds SET kept = (
  SELECT min(same.id) FROM devices AS same LEFT JOIN kinds AS other ON other.id = same.id
  WHERE coalesce(other.kind, same.signature) = kinds.kind);
UPDATE step_samples SET uuid = (SELECT kinds.uuid FROM kinds WHERE kinds.id = device)
  WHERE device IN (SELECT id FROM kinds);
UPDATE results SET uuid = (SELECT kinds.uuid FROM kinds WHERE kinds.id = device)
  WHERE kind = 'end_to_end' AND device IN (SELECT id FROM kinds);
CREATE TEMP TABLE moved AS SELECT id, kept FROM kinds WHERE id <> kept;
UPDATE OR IGNORE step_samples SET device = (SELECT kept FROM moved WHERE moved.id = device)
  WHERE device IN (SELECT id FROM moved);
DELETE FROM step_samples WHERE device IN (SELECT id FROM moved);
UPDATE OR IGNORE results SET device = (SELECT kept FROM moved WHERE moved.id = device)
  WHERE device IN (SELECT id FROM moved);
DELETE FROM results WHERE device IN (SELECT id FROM moved);
UPDATE OR IGNORE predictions SET device = (SELECT kept FROM moved WHERE moved.id = device)
  WHERE device IN (SELECT id FROM moved);
DELETE FROM predictions WHERE device IN (SELECT id FROM moved);
UPDATE OR IGNORE uses SET device = (SELECT kept FROM moved WHERE moved.id = device)
  WHERE device IN (SELECT id FROM moved);
DELETE FROM uses WHERE device IN (SELECT id FROM moved);
DELETE FROM leases WHERE device IN (SELECT id FROM kinds);
UPDATE OR IGNORE kernels SET compiler = (SELECT kind FROM kinds WHERE kinds.signature = compiler)
  WHERE compiler IN (SELECT signature FROM kinds);
DELETE FROM kernels WHERE compiler IN (SELECT signature FROM kinds);
DELETE FROM devices WHERE id IN (SELECT id FROM moved);
UPDATE devices SET signature = (SELECT kind FROM kinds WHERE kinds.id = devices.id)
  WHERE id IN (SELECT id FROM kinds);
DROP TABLE moved;
DROP TABLE kinds;
)";

// Runs of searches, and what they found. The writer is the holder of leases that writes a run that
// has not ended; empty if nobody does. Seeds are the 64 bits of an unsigned number.
constexpr const char* Version6 = R"(
CREATE TABLE runs (
  id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, problem INTEGER NOT NULL REFERENCES problems,
  device INTEGER NOT NULL REFERENCES devices, search TEXT NOT NULL, space TEXT NOT NULL,
  seed INTEGER NOT NULL, kind TEXT NOT NULL, budget REAL, revision TEXT NOT NULL,
  unix_seconds INTEGER NOT NULL, uuid TEXT NOT NULL, seconds REAL NOT NULL, ending TEXT NOT NULL,
  writer TEXT NOT NULL);
CREATE TABLE run_settings (
  run INTEGER NOT NULL REFERENCES runs, is_option INTEGER NOT NULL, name TEXT NOT NULL,
  value TEXT NOT NULL, PRIMARY KEY (run, is_option, name)) WITHOUT ROWID;
CREATE TABLE run_figures (
  run INTEGER NOT NULL REFERENCES runs, position INTEGER NOT NULL, name TEXT NOT NULL, value REAL,
  unit TEXT NOT NULL, PRIMARY KEY (run, position)) WITHOUT ROWID;
CREATE TABLE run_events (
  run INTEGER NOT NULL REFERENCES runs, position INTEGER NOT NULL, at REAL NOT NULL,
  schedule INTEGER NOT NULL REFERENCES schedules, seconds REAL NOT NULL,
  was_known INTEGER NOT NULL, PRIMARY KEY (run, position)) WITHOUT ROWID;
)";

// Each row of a record has a checksum (checksums.h).
constexpr const char* Version7 = R"(
ALTER TABLE devices ADD COLUMN checksum INTEGER NOT NULL DEFAULT 0;
ALTER TABLE problems ADD COLUMN checksum INTEGER NOT NULL DEFAULT 0;
ALTER TABLE spaces ADD COLUMN checksum INTEGER NOT NULL DEFAULT 0;
ALTER TABLE keys ADD COLUMN checksum INTEGER NOT NULL DEFAULT 0;
ALTER TABLE kernels ADD COLUMN checksum INTEGER NOT NULL DEFAULT 0;
ALTER TABLE steps ADD COLUMN checksum INTEGER NOT NULL DEFAULT 0;
ALTER TABLE step_samples ADD COLUMN checksum INTEGER NOT NULL DEFAULT 0;
ALTER TABLE schedules ADD COLUMN checksum INTEGER NOT NULL DEFAULT 0;
ALTER TABLE places ADD COLUMN checksum INTEGER NOT NULL DEFAULT 0;
ALTER TABLE predictions ADD COLUMN checksum INTEGER NOT NULL DEFAULT 0;
ALTER TABLE results ADD COLUMN checksum INTEGER NOT NULL DEFAULT 0;
ALTER TABLE uses ADD COLUMN checksum INTEGER NOT NULL DEFAULT 0;
ALTER TABLE choices ADD COLUMN checksum INTEGER NOT NULL DEFAULT 0;
ALTER TABLE decisions ADD COLUMN checksum INTEGER NOT NULL DEFAULT 0;
ALTER TABLE runs ADD COLUMN checksum INTEGER NOT NULL DEFAULT 0;
ALTER TABLE run_settings ADD COLUMN checksum INTEGER NOT NULL DEFAULT 0;
ALTER TABLE run_figures ADD COLUMN checksum INTEGER NOT NULL DEFAULT 0;
ALTER TABLE run_events ADD COLUMN checksum INTEGER NOT NULL DEFAULT 0;
)";

constexpr const char* Scripts[] = {Version1, Version2, Version3, Version4,
                                   Version5, Version6, Version7};

std::int64_t number_of(Transaction& transaction, std::string_view sql) {
  Rows rows = transaction.query(sql);
  return rows.next() ? rows.integer(0) : 0;
}

void refuse(Transaction& transaction, const Database& database, std::string what) {
  transaction.fail({std::move(what), {database.path()}, {}});
}

// Returns the version of a store; 0 for an empty file. Makes the transaction fail if the file is
// not a store, or if its version is later than `known`.
std::int64_t version_of(Transaction& transaction, const Database& database, std::size_t known) {
  const std::int64_t num_tables =
      number_of(transaction, "SELECT count(*) FROM sqlite_schema WHERE type = 'table'");
  if (num_tables == 0) return 0;
  if (number_of(transaction, "PRAGMA application_id") != StoreApplicationId) {
    refuse(transaction, database, "this is a database, but no measurement store");
    return 0;
  }
  const std::int64_t version = number_of(transaction, "PRAGMA user_version");
  if (version > static_cast<std::int64_t>(known)) {
    refuse(transaction, database,
           fmt::format("the store is of version {}, written by a later Thallo; this one knows "
                       "versions up to {}",
                       version, known));
  }
  return version;
}

}  // namespace

std::span<const char* const> store_scripts() { return Scripts; }

Expected<void> migrate(Database& database, std::span<const char* const> scripts) {
  Transaction transaction(database, Transaction::Kind::Write);
  const auto version = static_cast<std::size_t>(version_of(transaction, database, scripts.size()));
  if (version >= scripts.size()) return transaction.commit();
  for (std::size_t i = version; i < scripts.size(); ++i) transaction.run_script(scripts[i]);
  write_checksums(transaction);
  transaction.run(fmt::format("PRAGMA application_id = {}", StoreApplicationId));
  transaction.run(fmt::format("PRAGMA user_version = {}", scripts.size()));
  return transaction.commit();
}

Expected<void> check_version(Database& database, std::size_t oldest, std::size_t newest) {
  Transaction transaction(database, Transaction::Kind::Read);
  const std::int64_t found = version_of(transaction, database, newest);
  if (found == 0) {
    refuse(transaction, database, "the file is empty: nothing was recorded in it");
  } else if (found < static_cast<std::int64_t>(oldest)) {
    refuse(transaction, database,
           fmt::format("the store is of version {}; open it once for writing, which brings it to "
                       "version {}",
                       found, newest));
  }
  return transaction.commit();
}

}  // namespace thallo
