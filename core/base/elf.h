// Reads 64-bit ELF files: libraries, and the cubins that CUDA's compilers make. All offsets and
// sizes come from the file and are checked against its length, so that a text, a truncated download
// or a damaged file is answered with a sentence. Messages do not repeat the path.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <istream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/diagnostic.h"

namespace thallo {

struct ElfSection {
  std::string name;
  std::uint64_t size = 0;    // bytes in memory
  std::uint32_t link = 0;    // of a table of symbols: the section with their names
  std::uint64_t offset = 0;  // in the file
  bool has_content = true;   // false: the file has no bytes of it (.bss)
};

class ElfFile {
 public:
  // Both read the headers. They fail when the file cannot be read, is no 64-bit ELF file in the
  // byte order of this machine, or is damaged.
  static Expected<ElfFile> open(const std::filesystem::path& file);
  static Expected<ElfFile> parse(std::string bytes);

  std::uint16_t machine() const { return machine_; }  // EM_X86_64 ...
  const std::vector<ElfSection>& sections() const { return sections_; }
  // Null when the file has no section of that name.
  const ElfSection* find(std::string_view name) const;
  // The bytes in the file; none without content. Fails when the file ends before they do.
  Expected<std::vector<std::byte>> content(const ElfSection& section);

 private:
  ElfFile(std::unique_ptr<std::istream> stream, std::uint64_t size)
      : stream_(std::move(stream)), size_(size) {}
  static Expected<ElfFile> read(std::unique_ptr<std::istream> stream, std::uint64_t size);
  Expected<std::vector<std::byte>> read(std::uint64_t offset, std::uint64_t size,
                                        std::string_view what);

  std::unique_ptr<std::istream> stream_;
  std::uint64_t size_ = 0;
  std::uint16_t machine_ = 0;
  std::vector<ElfSection> sections_;
};

}  // namespace thallo
