// Reads 64-bit ELF files: libraries, and the cubins that CUDA's compilers make. All offsets and
// sizes in the file are checked against its length, so a text, a truncated download or a damaged
// file results in a clear message. Messages do not repeat the path.
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
#include "core/base/hash.h"

namespace thallo {

struct ElfSection {
  std::string name;
  std::uint64_t size = 0;     // bytes in memory
  std::uint32_t link = 0;     // for a symbol table: the section with the names
  std::uint64_t offset = 0;   // in the file
  std::uint64_t address = 0;  // in memory
  bool has_content = true;    // false if the section has no bytes in the file (.bss)
  bool is_loaded = false;     // true if a running program has it in memory
};

class ElfFile {
 public:
  // Both read the headers. They fail if the file cannot be read, is not a 64-bit ELF file in this
  // machine's byte order, or is damaged.
  static Expected<ElfFile> open(const std::filesystem::path& file);
  static Expected<ElfFile> parse(std::string bytes);

  std::uint16_t machine() const { return machine_; }  // EM_X86_64 ...
  const std::vector<ElfSection>& sections() const { return sections_; }
  // Null if the file has no section of that name.
  const ElfSection* find(std::string_view name) const;
  // Returns the section's bytes in the file; empty if it has no content. Fails if the file ends too
  // early.
  Expected<std::vector<std::byte>> content(const ElfSection& section);
  // Returns a checksum of all that a program maps when it loads the library, without one section.
  // It stays the same when the library is stripped. Fails if the file ends too early.
  Expected<Hash128> loaded_checksum(std::string_view left_out);

 private:
  ElfFile(std::unique_ptr<std::istream> stream, std::uint64_t size)
      : stream_(std::move(stream)), size_(size) {}
  static Expected<ElfFile> read(std::unique_ptr<std::istream> stream, std::uint64_t size);
  Expected<std::vector<std::byte>> read(std::uint64_t offset, std::uint64_t size,
                                        std::string_view what);

  std::unique_ptr<std::istream> stream_;
  std::uint64_t size_ = 0;
  std::uint16_t machine_ = 0;
  std::uint64_t segments_offset_ = 0;
  std::uint64_t segments_size_ = 0;  // bytes of all program headers
  std::vector<ElfSection> sections_;
};

}  // namespace thallo
