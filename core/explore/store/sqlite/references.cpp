#include "core/explore/store/sqlite/references.h"

#include <fmt/format.h>

namespace thallo {
namespace {

std::int64_t found(Transaction& transaction, Rows rows, const std::string& what) {
  if (rows.next()) return rows.integer(0);
  transaction.fail({fmt::format("the store has no {}; add it first", what), {}, {}});
  return 0;
}

}  // namespace

std::int64_t problem_id(Transaction& transaction, std::string_view signature) {
  return found(transaction,
               transaction.query("SELECT id FROM problems WHERE signature = ?", {signature}),
               fmt::format("problem '{}'", signature));
}

std::int64_t device_id(Transaction& transaction, std::string_view signature) {
  return found(transaction,
               transaction.query("SELECT id FROM devices WHERE signature = ?", {signature}),
               fmt::format("device '{}'", signature));
}

std::int64_t space_id(Transaction& transaction, std::string_view id) {
  return found(transaction, transaction.query("SELECT id FROM spaces WHERE name = ?", {id}),
               fmt::format("space '{}'", id));
}

std::int64_t step_id(Transaction& transaction, std::string_view problem, std::string_view key) {
  return found(transaction,
               transaction.query("SELECT steps.id FROM steps JOIN keys ON keys.id = steps.key "
                                 "WHERE steps.problem = ? AND keys.text = ?",
                                 {problem_id(transaction, problem), key}),
               fmt::format("step '{}' of problem '{}'", key, problem));
}

std::int64_t schedule_id(Transaction& transaction, std::string_view problem,
                         std::string_view hash) {
  return found(transaction,
               transaction.query("SELECT id FROM schedules WHERE problem = ? AND hash = ?",
                                 {problem_id(transaction, problem), hash}),
               fmt::format("schedule '{}' of problem '{}'", hash, problem));
}

std::int64_t key_id(Transaction& transaction, std::string_view key) {
  transaction.run("INSERT INTO keys (text) VALUES (?) ON CONFLICT DO NOTHING", {key});
  return found(transaction, transaction.query("SELECT id FROM keys WHERE text = ?", {key}),
               fmt::format("key '{}'", key));
}

std::int64_t choice_id(Transaction& transaction, const Decision& decision) {
  const auto& [construct, site, choice] = decision;
  transaction.run(
      "INSERT INTO choices (construct, site, choice) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
      {construct, site, choice});
  return found(
      transaction,
      transaction.query("SELECT id FROM choices WHERE construct = ? AND site = ? AND choice = ?",
                        {construct, site, choice}),
      fmt::format("choice '{}' of {} at {}", choice, construct, site));
}

}  // namespace thallo
