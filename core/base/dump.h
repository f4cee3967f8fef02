// Writes the stages of a compile as files when the environment sets THALLO_DUMP=DIR: for reading
// along and for bug reports. docs/cli.md lists the files.
#pragma once

#include <filesystem>
#include <string_view>

namespace thallo {

// Whether THALLO_DUMP is set.
bool is_dumping();

// Writes DIR/name and makes the folders on the way; does nothing when THALLO_DUMP is not set. A
// file that cannot be written is a warning.
void dump(const std::filesystem::path& name, std::string_view content);

}  // namespace thallo
