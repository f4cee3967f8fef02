// Finds files that are shipped with Thallo: the folder assets/ of the sources, installed as
// share/thallo beside the core library's folder. The build tree has the same layout.
#pragma once

#include <filesystem>
#include <optional>

namespace thallo {

// Returns the folder of the core library; empty if the system does not report it.
std::filesystem::path core_folder();

// Returns the path of a shipped file or folder, e.g. "devices/h200.toml"; absent if there is none.
std::optional<std::filesystem::path> find_asset(const std::filesystem::path& name);

// True if the file is in the folders of Thallo's plugins, problems and assets, which the next
// version replaces.
bool is_shipped(const std::filesystem::path& file);

}  // namespace thallo
