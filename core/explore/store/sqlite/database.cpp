#include "core/explore/store/sqlite/database.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>

#include <fmt/format.h>
#include <sqlite3.h>

#include "core/base/error.h"
#include "core/base/io/file.h"
#include "core/base/overloaded.h"
#include "core/explore/store/sqlite/checksums.h"

namespace thallo {
namespace {

namespace fs = std::filesystem;

std::atomic<std::chrono::milliseconds> patience{Database::DefaultPatience};

// SQLite has separate codes for incorrect use of its API and for faults of a file or disk.
bool is_our_bug(int code) { return code == SQLITE_MISUSE || code == SQLITE_RANGE; }

// Makes SQLite copy the bound value.
const auto Copied = reinterpret_cast<sqlite3_destructor_type>(std::intptr_t{-1});

// True if nobody writes the file and nothing can be created beside it, as on a read-only disk.
// SQLite reads such a file only if told that nobody writes it.
bool is_frozen(const fs::path& path) {
  std::error_code code;
  const bool has_log = fs::exists(fs::path(path) += "-wal", code);
  const fs::path folder = fs::absolute(path, code).parent_path();
  return !has_log && access(folder.c_str(), W_OK) != 0;
}

// True if the file system of the folder refuses locks, as a network's may, without which several
// processes would damage a store. SQLite takes some of the errors for a lock of somebody else, and
// would wait. A file beside the store is tried: to close the store's own would give up its locks.
bool refuses_locks(const fs::path& folder) {
  std::string name = (folder / ".thallo-lock-XXXXXX").string();
  const int file = mkostemp(name.data(), O_CLOEXEC);
  if (file < 0) return false;
  unlink(name.c_str());
  struct flock lock = {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  lock.l_len = 1;
  const bool is_refused = fcntl(file, F_SETLK, &lock) != 0;
  close(file);
  return is_refused;
}

constexpr const char* NoLocks =
    "the file system has no locks, which keep processes from writing at the same time: keep the "
    "store on another one, such as a local disk";

// Returns SQLite's URI for a path, with escapes for characters that are special in a URI.
std::string uri_of(const fs::path& path, std::string_view parameters) {
  std::string uri = "file:";
  for (const char c : fs::absolute(path).string()) {
    if (c == '%' || c == '?' || c == '#') {
      uri += fmt::format("%{:02x}", static_cast<unsigned>(c));
    } else {
      uri += c;
    }
  }
  return uri + std::string(parameters);
}

int bind(sqlite3_stmt* statement, int position, const SqlValue& value) {
  return std::visit(
      Overloaded{[&](std::monostate) { return sqlite3_bind_null(statement, position); },
                 [&](std::int64_t v) { return sqlite3_bind_int64(statement, position, v); },
                 [&](double v) { return sqlite3_bind_double(statement, position, v); },
                 [&](std::string_view v) {
                   return sqlite3_bind_text64(statement, position, v.data() ? v.data() : "",
                                              v.size(), Copied, SQLITE_UTF8);
                 },
                 [&](std::span<const std::byte> v) {
                   // SQLite would take a null pointer for NULL.
                   const void* data = v.empty() ? static_cast<const void*>("") : v.data();
                   return sqlite3_bind_blob64(statement, position, data, v.size_bytes(), Copied);
                 }},
      value);
}

}  // namespace

void Database::Close::operator()(sqlite3* connection) const { sqlite3_close_v2(connection); }

void Database::set_patience(std::chrono::milliseconds most) { patience = most; }

Expected<Database> Database::open(const fs::path& path, Access access) {
  std::error_code code;
  if (access == Access::Read && !fs::exists(path, code)) {
    return fail_at({path}, "{}", code ? code.message() : "there is no such file");
  }
  THALLO_CHECK(check_plain_file(path, "a store"));
  // With what SQLite appends to the names of files beside the store.
  constexpr std::size_t MostBytesOfPath = 500;
  if (const std::size_t bytes = fs::absolute(path, code).native().size(); bytes > MostBytesOfPath) {
    return fail_at({path}, "the path has {} bytes, that of a store may have {}", bytes,
                   MostBytesOfPath);
  }
  if (access == Access::Write && refuses_locks(fs::absolute(path, code).parent_path()))
    return fail_at({path}, "{}", NoLocks);
  const bool is_immutable = access == Access::Read && is_frozen(path);
  const int flags =
      SQLITE_OPEN_URI | SQLITE_OPEN_FULLMUTEX |
      (access == Access::Read ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  Database database;
  database.path_ = path;
  sqlite3* connection = nullptr;
  const int opened = sqlite3_open_v2(uri_of(path, is_immutable ? "?immutable=1" : "").c_str(),
                                     &connection, flags, nullptr);
  database.connection_.reset(connection);
  if (opened != SQLITE_OK) return fail(database.fault(opened));
  sqlite3_extended_result_codes(connection, 1);
  add_checksum_function(connection);
  sqlite3_busy_timeout(connection, static_cast<int>(patience.load().count()));
  // Opening reads nothing from the file; this statement does.
  THALLO_CHECK(database.run("PRAGMA schema_version"));
  THALLO_CHECK(database.run("PRAGMA foreign_keys = ON"));
  return database;
}

Expected<Database> Database::copy() const {
  Database copy;
  copy.path_ = path_;
  sqlite3* connection = nullptr;
  constexpr int Flags = SQLITE_OPEN_MEMORY | SQLITE_OPEN_FULLMUTEX | SQLITE_OPEN_READWRITE;
  const int opened = sqlite3_open_v2(":memory:", &connection, Flags, nullptr);
  copy.connection_.reset(connection);
  if (opened != SQLITE_OK) return thallo::fail(copy.fault(opened));
  sqlite3_extended_result_codes(connection, 1);
  add_checksum_function(connection);
  if (auto copied = copy_into(copy); !copied) return thallo::fail(copied.error());
  if (auto on = copy.run("PRAGMA foreign_keys = ON"); !on) return thallo::fail(on.error());
  return copy;
}

Expected<void> Database::copy_into(Database& other) const {
  constexpr int AllPages = -1;
  sqlite3_backup* backup =
      sqlite3_backup_init(other.connection_.get(), "main", connection_.get(), "main");
  if (backup != nullptr) sqlite3_backup_step(backup, AllPages);
  const int copied = backup != nullptr ? sqlite3_backup_finish(backup) : SQLITE_ERROR;
  if (copied != SQLITE_OK) return thallo::fail(other.fault(copied));
  return {};
}

bool Database::is_in_place() const {
  int has_moved = 0;
  sqlite3_file_control(connection_.get(), "main", SQLITE_FCNTL_HAS_MOVED, &has_moved);
  return has_moved == 0;
}

Expected<std::string> Database::run(const std::string& sql) {
  sqlite3_stmt* prepared = nullptr;
  if (const int code = sqlite3_prepare_v2(connection_.get(), sql.c_str(), -1, &prepared, nullptr);
      code != SQLITE_OK) {
    return thallo::fail(fault(code));
  }
  const std::unique_ptr<sqlite3_stmt, void (*)(sqlite3_stmt*)> statement(
      prepared, [](sqlite3_stmt* s) { sqlite3_finalize(s); });
  std::optional<std::string> first;
  int code = SQLITE_ROW;
  while ((code = sqlite3_step(prepared)) == SQLITE_ROW) {
    const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(prepared, 0));
    if (!first) first = text ? text : "";
  }
  if (code != SQLITE_DONE) return thallo::fail(fault(code));
  return first.value_or("");
}

Diagnostic Database::fault(int code) const {
  const std::string said = connection_ ? sqlite3_errmsg(connection_.get()) : sqlite3_errstr(code);
  THALLO_ASSERT(!is_our_bug(code & 0xff), "{}: {}", path_.string(), said);
  const auto with = [&](std::string what) { return Diagnostic{std::move(what), {path_}, {}}; };
  switch (code & 0xff) {
    case SQLITE_FULL:
      return with("the disk is full; what was being recorded is lost, all before it is kept");
    case SQLITE_CORRUPT: return with(fmt::format("the file is damaged ({})", said));
    case SQLITE_NOTADB: return with("this is no measurement store");
    case SQLITE_READONLY:
    case SQLITE_PERM: return with("the file cannot be written, or was opened for reading");
    case SQLITE_CANTOPEN:
      return with(fmt::format("the file or its folder cannot be opened ({})",
                              std::strerror(sqlite3_system_errno(connection_.get()))));
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return with(fmt::format("others have been writing for {} s without a pause",
                              std::chrono::duration<double>(patience.load()).count()));
    case SQLITE_PROTOCOL: return with(NoLocks);
    case SQLITE_IOERR:
      for (const int of_locks : {SQLITE_IOERR_LOCK, SQLITE_IOERR_RDLOCK, SQLITE_IOERR_UNLOCK,
                                 SQLITE_IOERR_CHECKRESERVEDLOCK, SQLITE_IOERR_SHMLOCK})
        if (code == of_locks) return with(NoLocks);
      if (code == SQLITE_IOERR_WRITE)
        return with(
            "the file cannot be written: a limit on the size of files, a quota or a fault "
            "of the disk stops it");
      [[fallthrough]];
    default: return with(fmt::format("the file cannot be used: {} ({})", said, code));
  }
}

void Database::Finalize::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }

bool Rows::next() {
  if (!statement_ || transaction_->has_failed()) return false;
  const int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  if (code != SQLITE_DONE) transaction_->check(code);
  end();
  return false;
}

// The next query with this text takes the statement.
void Rows::end() {
  if (!statement_) return;
  sqlite3_reset(statement_.get());
  sqlite3_clear_bindings(statement_.get());
  transaction_->database_.idle_.insert_or_assign(std::move(sql_), std::move(statement_));
}

bool Rows::is_null(int column) const {
  return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL;
}

std::int64_t Rows::integer(int column) const {
  return sqlite3_column_int64(statement_.get(), column);
}

double Rows::real(int column) const { return sqlite3_column_double(statement_.get(), column); }

std::string Rows::text(int column) const {
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement_.get(), column));
  const int size = sqlite3_column_bytes(statement_.get(), column);
  return text ? std::string(text, static_cast<std::size_t>(size)) : std::string();
}

std::span<const std::byte> Rows::bytes(int column) const {
  const auto* data = static_cast<const std::byte*>(sqlite3_column_blob(statement_.get(), column));
  return {data, static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column))};
}

Transaction::Transaction(Database& database, Kind kind) : database_(database) {
  run_script(kind == Kind::Write ? "BEGIN IMMEDIATE" : "BEGIN");
  is_open_ = !has_failed();
}

Transaction::~Transaction() {
  // After some faults, such as a full disk, SQLite has already rolled back.
  if (is_open_ && sqlite3_get_autocommit(database_.connection_.get()) == 0)
    sqlite3_exec(database_.connection_.get(), "ROLLBACK", nullptr, nullptr, nullptr);
}

Rows Transaction::query(std::string_view sql, std::span<const SqlValue> values) {
  Rows rows(*this);
  if (has_failed()) return rows;
  rows.sql_ = sql;
  if (const auto idle = database_.idle_.find(sql); idle != database_.idle_.end()) {
    rows.statement_ = std::move(database_.idle_.extract(idle).mapped());
  } else {
    sqlite3_stmt* statement = nullptr;
    check(sqlite3_prepare_v2(database_.connection_.get(), sql.data(), static_cast<int>(sql.size()),
                             &statement, nullptr));
    rows.statement_.reset(statement);
  }
  int position = 0;
  for (const SqlValue& value : values) {
    if (!has_failed()) check(bind(rows.statement_.get(), ++position, value));
  }
  return rows;
}

std::int64_t Transaction::run(std::string_view sql, std::span<const SqlValue> values) {
  Rows rows = query(sql, values);
  while (rows.next()) {
  }
  return has_failed() ? 0 : sqlite3_changes64(database_.connection_.get());
}

void Transaction::run_script(const char* sql) {
  if (!has_failed())
    check(sqlite3_exec(database_.connection_.get(), sql, nullptr, nullptr, nullptr));
}

std::int64_t Transaction::last_row_id() const {
  return sqlite3_last_insert_rowid(database_.connection_.get());
}

void Transaction::fail(Diagnostic fault) {
  if (!fault_) fault_ = std::move(fault);
}

void Transaction::check(int code) {
  if (code != SQLITE_OK) fail(database_.fault(code));
}

Expected<void> Transaction::commit() {
  run_script("COMMIT");
  if (fault_) return thallo::fail(*fault_);
  is_open_ = false;
  return {};
}

}  // namespace thallo
