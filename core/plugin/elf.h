// Reads one section of an ELF file without loading the file as a library. All offsets and sizes
// come from the file and are checked against its length, so that a text file, a truncated download
// or a library for another machine is answered with a sentence.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include "core/base/diagnostic.h"

namespace thallo {

// The content of the section, absent when the file has none of that name; a section without
// content in the file (.bss) is empty. Fails when the file cannot be read, is not a 64-bit ELF file
// for this machine, or is damaged; messages do not repeat the path.
Expected<std::optional<std::vector<std::byte>>> read_elf_section(const std::filesystem::path& file,
                                                                 std::string_view section);

}  // namespace thallo
