// Reads one section of a shared library without loading it (core/base/elf.h).
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include "core/base/diagnostic.h"

namespace thallo {

// Returns the content of the section, absent if the file has no section of that name; a section
// without content in the file (.bss) is empty. Fails if the file cannot be read, is not a 64-bit
// ELF file for this machine, or is damaged; messages do not repeat the path.
Expected<std::optional<std::vector<std::byte>>> read_library_section(
    const std::filesystem::path& file, std::string_view section);

}  // namespace thallo
