// Writes small 64-bit ELF files for tests of what reads them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace thallo::test {

struct HandSection {
  std::string name;
  std::string content = {};
  std::uint64_t size = 0;  // in memory, of a section without content
  std::uint32_t link = 0;
};

// Sections are numbered from 1 in the order given, after the empty one that every file begins with;
// the last is that of the names. The section headers stand at the end of the file.
std::string hand_elf(std::uint16_t machine, const std::vector<HandSection>& sections);

}  // namespace thallo::test
