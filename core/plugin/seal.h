// The seal of a plugin: a checksum of all that is loaded from its file, in the file itself, so that
// a damaged plugin is refused before its code runs. thallo_add_plugin() lets `thallo_seal` write it
// when the plugin is linked, and again when it is installed, which changes its search path.
#pragma once

#include <filesystem>

#include "core/base/diagnostic.h"

namespace thallo {

// Writes the seal of a library that has a section for it, as THALLO_PLUGIN makes one. Leaves
// another library as it is.
Expected<void> seal_library(const std::filesystem::path& file);

// Fails if what is loaded from the file differs from what was sealed. A library that nobody has
// sealed passes.
Expected<void> check_seal(const std::filesystem::path& file);

}  // namespace thallo
