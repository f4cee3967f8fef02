#pragma once

// Reading the files of the language: energies and schedules.

#include <filesystem>
#include <string>
#include <string_view>

#include "core/base/diagnostic.h"

namespace thallo::language {

// The content of a file; `what` is what it should be, "an energy text".
Expected<std::string> read_source(const std::filesystem::path& path, std::string_view what);

// Fails for what is Lua, but no text.
Expected<void> check_is_text(std::string_view text, const std::string& name, std::string_view what);

}  // namespace thallo::language
