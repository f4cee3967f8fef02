// Files that are shipped with Thallo: the folder assets/ of the sources, which is share/thallo
// beside the folder of the core library, in the build tree and where installed.
#pragma once

#include <filesystem>
#include <optional>

namespace thallo {

// The folder of the core library; empty when the system does not say.
std::filesystem::path core_folder();

// The path of a shipped file or folder, e.g. "devices/h200.toml"; absent when there is none.
std::optional<std::filesystem::path> find_asset(const std::filesystem::path& name);

}  // namespace thallo
