#pragma once

// Reads the files that people write: energies and schedules.

#include <filesystem>
#include <string>
#include <string_view>

#include "core/base/diagnostic.h"

namespace thallo {

// Returns the content of a file; `what` names the expected content in messages: "an energy text".
Expected<std::string> read_source(const std::filesystem::path& path, std::string_view what);

}  // namespace thallo
