// What THALLO_LOG may say: a level, or levels of subsystems, with commas: "info",
// "warn,cuda=debug".
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace thallo {

// What is wrong with such a text and what would be legal, in one sentence; nothing if it is right.
std::optional<std::string> find_log_level_fault(std::string_view levels);

}  // namespace thallo
