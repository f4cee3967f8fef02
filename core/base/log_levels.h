// Checks the text of THALLO_LOG: levels separated by commas, each for everything or for one
// subsystem, e.g. "info" or "warn,cuda=debug".
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace thallo {

// Says in one sentence what is wrong with such a text and what would be legal; absent if it is
// valid.
std::optional<std::string> find_log_level_fault(std::string_view levels);

}  // namespace thallo
