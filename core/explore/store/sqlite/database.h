// Wraps SQLite for the store: a connection, transactions, and their statements. Private to this
// folder.
//
// A transaction remembers its first fault. After a fault its statements do nothing and return no
// rows, and commit() rolls back and returns the fault. So the code of a transaction reads from top
// to bottom, without a check after every statement:
//
//   Transaction transaction(database, Transaction::Kind::Write);
//   transaction.run("INSERT INTO devices (signature, name) VALUES (?, ?)", {signature, name});
//   Rows rows = transaction.query("SELECT name FROM devices WHERE signature = ?", {signature});
//   while (rows.next()) names.push_back(rows.text(0));
//   return transaction.commit(std::move(names));
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/base/diagnostic.h"

struct sqlite3;
struct sqlite3_stmt;

namespace thallo {

// A parameter of a statement. monostate is NULL; bytes are stored as a blob.
using SqlValue = std::variant<std::monostate, std::int64_t, double, std::string_view,
                              std::span<const std::byte>>;

class Database {
 public:
  enum class Access { Read, Write };  // Write creates a file that does not exist

  // Waits for other writers, both here and in later calls, up to 10 s unless set_patience() said
  // otherwise. Fails if the file does not exist (Read), cannot be opened, or is not a SQLite file.
  static Expected<Database> open(const std::filesystem::path& path, Access access);

  // Connections that this process opens from now on wait so long for others. Tests wait less.
  static constexpr std::chrono::milliseconds DefaultPatience{10'000};
  static void set_patience(std::chrono::milliseconds most);

  const std::filesystem::path& path() const { return path_; }
  // False if the file was deleted, renamed or replaced. What is written goes on to the file that
  // was opened, which nobody finds then.
  bool is_in_place() const;
  // Returns a copy in memory, which can be written. Faults still name the file.
  Expected<Database> copy() const;
  // Replaces what the other database has by what this one has.
  Expected<void> copy_into(Database& other) const;
  // Runs a pragma or another statement outside of transactions. Returns the first column of its
  // first row, or "" if there are no rows.
  Expected<std::string> run(const std::string& sql);
  // Returns SQLite's message about the last failure, with the file's name.
  Diagnostic fault(int code) const;

 private:
  friend class Rows;
  friend class Transaction;
  struct Close {
    void operator()(sqlite3* connection) const;
  };

  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  using Statement = std::unique_ptr<sqlite3_stmt, Finalize>;

  std::filesystem::path path_;
  std::unique_ptr<sqlite3, Close> connection_;
  // Statements that no query uses now, by their text. To prepare one takes longer than to run it.
  std::map<std::string, Statement, std::less<>> idle_;
};

class Transaction;

// The rows of a query, one at a time. Columns count from 0; NULL reads as 0 or empty.
class Rows {
 public:
  Rows(Rows&& other) noexcept = default;
  ~Rows() { end(); }
  // Advances to the next row. Returns false after the last row, or if the transaction failed.
  bool next();

  bool is_null(int column) const;
  std::int64_t integer(int column) const;
  double real(int column) const;
  std::string text(int column) const;
  // Returns what a blob was made of.
  template <class T>
  std::vector<T> list(int column) const {
    const std::span<const std::byte> data = bytes(column);
    std::vector<T> values(data.size() / sizeof(T));
    if (!values.empty()) std::memcpy(values.data(), data.data(), values.size() * sizeof(T));
    return values;
  }

 private:
  friend class Transaction;
  explicit Rows(Transaction& transaction) : transaction_(&transaction) {}
  std::span<const std::byte> bytes(int column) const;
  void end();

  Transaction* transaction_;
  std::string sql_ = {};
  Database::Statement statement_ = {};
};

class Transaction {
 public:
  // A Read transaction sees the database as of its first query, whatever others write. A Write
  // transaction excludes other writers from its beginning.
  enum class Kind { Read, Write };

  Transaction(Database& database, Kind kind);
  ~Transaction();  // rolls back if commit() was not called
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

  Rows query(std::string_view sql, std::span<const SqlValue> values);
  Rows query(std::string_view sql, std::initializer_list<SqlValue> values = {}) {
    return query(sql, std::span(values.begin(), values.size()));
  }
  // Runs a statement to its end and returns the number of rows that it changed.
  std::int64_t run(std::string_view sql, std::span<const SqlValue> values);
  std::int64_t run(std::string_view sql, std::initializer_list<SqlValue> values = {}) {
    return run(sql, std::span(values.begin(), values.size()));
  }
  // Runs several statements without parameters.
  void run_script(const char* sql);
  std::int64_t last_row_id() const;

  // Makes the transaction fail, unless it has failed already.
  void fail(Diagnostic fault);
  bool has_failed() const { return fault_.has_value(); }
  // Returns the value, of a text that was read from the file. Makes the transaction fail if there
  // is none.
  template <class T>
  T checked(const Expected<T>& value) {
    if (!value) fail(value.error());
    return value.value_or(T());
  }

  Expected<void> commit();
  template <class T>
  Expected<T> commit(T result) {
    if (auto done = commit(); !done) return thallo::fail(done.error());
    return result;
  }

 private:
  friend class Rows;
  void check(int code);

  Database& database_;
  std::optional<Diagnostic> fault_;
  bool is_open_ = false;
};

}  // namespace thallo
