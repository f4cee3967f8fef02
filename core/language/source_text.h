#pragma once

// Reads the files of the language: energies and schedules.

#include <filesystem>
#include <string>
#include <string_view>

#include "core/base/diagnostic.h"

namespace thallo::language {

// Returns the content of a file; `what` names the expected content in messages: "an energy text".
Expected<std::string> read_source(const std::filesystem::path& path, std::string_view what);

// Fails for compiled Lua.
Expected<void> check_is_text(std::string_view text, const std::string& name, std::string_view what);

}  // namespace thallo::language
