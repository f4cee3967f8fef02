// Finds the rows that records refer to by their texts. A text that the store does not have makes
// the transaction fail with a message that says what has to be added first; the id is then 0.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/explore/store/database.h"

namespace thallo {

std::int64_t problem_id(Transaction& transaction, std::string_view signature);
std::int64_t device_id(Transaction& transaction, std::string_view signature);
std::int64_t space_id(Transaction& transaction, std::string_view id);
std::int64_t step_id(Transaction& transaction, std::string_view problem, std::string_view key);
std::int64_t schedule_id(Transaction& transaction, std::string_view problem, std::string_view hash);
// Adds a key that is not there.
std::int64_t key_id(Transaction& transaction, std::string_view key);

}  // namespace thallo
