// Finds the rows that records refer to by text. If the store lacks a text, the transaction fails
// with a message that says what must be added first, and the id is 0.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/explore/space/decision.h"
#include "core/explore/store/sqlite/database.h"

namespace thallo {

std::int64_t problem_id(Transaction& transaction, std::string_view signature);
std::int64_t device_id(Transaction& transaction, std::string_view signature);
std::int64_t space_id(Transaction& transaction, std::string_view id);
std::int64_t step_id(Transaction& transaction, std::string_view problem, std::string_view key);
std::int64_t schedule_id(Transaction& transaction, std::string_view problem, std::string_view hash);
// These functions add what does not exist.
std::int64_t key_id(Transaction& transaction, std::string_view key);
std::int64_t choice_id(Transaction& transaction, const Decision& decision);

}  // namespace thallo
