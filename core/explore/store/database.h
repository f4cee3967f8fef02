// SQLite for the store: a connection, transactions on it, and their statements. Only this folder
// sees it.
//
// A transaction keeps its first fault. From then on its statements do nothing and have no rows, and
// commit() rolls back and returns the fault. So the code of a transaction reads from top to bottom,
// without a test after every statement:
//
//   Transaction transaction(database, Transaction::Kind::Write);
//   transaction.run("INSERT INTO devices (signature, name) VALUES (?, ?)", {signature, name});
//   Rows rows = transaction.query("SELECT name FROM devices WHERE signature = ?", {signature});
//   while (rows.next()) names.push_back(rows.text(0));
//   return transaction.commit(std::move(names));
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/base/diagnostic.h"

struct sqlite3;
struct sqlite3_stmt;

namespace thallo {

// A parameter of a statement; monostate is NULL. A span is stored as a blob.
using SqlValue =
    std::variant<std::monostate, std::int64_t, double, std::string_view, std::span<const double>>;

class Database {
 public:
  enum class Access { Read, Write };  // Write makes a file that is not there

  // Waits up to 10 s for other writers, here and later. Fails when the file is not there (Read),
  // cannot be opened, or is no SQLite file.
  static Expected<Database> open(const std::filesystem::path& path, Access access);

  const std::filesystem::path& path() const { return path_; }
  // A pragma or another statement outside of transactions; the first column of its first row, ""
  // without rows.
  Expected<std::string> run(const std::string& sql);
  // What SQLite says about the last failure, with the file's name.
  Diagnostic fault(int code) const;

 private:
  friend class Transaction;
  struct Close {
    void operator()(sqlite3* connection) const;
  };

  std::filesystem::path path_;
  std::unique_ptr<sqlite3, Close> connection_;
};

class Transaction;

// The rows of a query, one at a time. Columns count from 0; NULL reads as 0 or empty.
class Rows {
 public:
  // The next row is the current one; false after the last, or when the transaction failed.
  bool next();

  bool is_null(int column) const;
  std::int64_t integer(int column) const;
  double real(int column) const;
  std::string text(int column) const;
  std::vector<double> reals(int column) const;  // of a blob, as a span of doubles was stored

 private:
  friend class Transaction;
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  explicit Rows(Transaction& transaction) : transaction_(&transaction) {}

  Transaction* transaction_;
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

class Transaction {
 public:
  // Read sees the database as it is at its first query, whatever others write. Write keeps other
  // writers out from its beginning.
  enum class Kind { Read, Write };

  Transaction(Database& database, Kind kind);
  ~Transaction();  // rolls back what was not committed
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

  Rows query(std::string_view sql, std::initializer_list<SqlValue> values = {});
  // Runs to its end; returns the number of rows that it changed.
  std::int64_t run(std::string_view sql, std::initializer_list<SqlValue> values = {});
  // Several statements without parameters.
  void run_script(const char* sql);
  std::int64_t last_row_id() const;

  // Makes the transaction fail if it has not yet.
  void fail(Diagnostic fault);
  bool has_failed() const { return fault_.has_value(); }

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
