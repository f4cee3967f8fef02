// Reads TOML files. The parser's header is heavy, so include this one in .cpp files only.
#pragma once

#include <filesystem>
#include <string_view>

#include <toml++/toml.h>

#include "core/base/diagnostic.h"

namespace thallo {

// Errors name the file and the line.
Expected<toml::table> read_toml(const std::filesystem::path& path);
// Like read_toml(), for a text in memory; `name` stands for the file in errors.
Expected<toml::table> parse_toml(std::string_view text, const std::filesystem::path& name);

// Returns the line of the file on which a node of its table begins.
SourceLocation location_of(const std::filesystem::path& path, const toml::node& node);

}  // namespace thallo
