// Writes the stages of a compilation as files if the environment sets THALLO_DUMP=DIR, for study
// and for bug reports. docs/cli.md lists the files.
#pragma once

#include <filesystem>
#include <string_view>

namespace thallo {

// True if THALLO_DUMP is set.
bool is_dumping();

// Writes DIR/name and makes the folders on the way; does nothing if THALLO_DUMP is not set. Warns
// about a file that cannot be written.
void dump(const std::filesystem::path& name, std::string_view content);

}  // namespace thallo
