#include "core/plugin/elf.h"

#include <elf.h>

#include <bit>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <string>

namespace thallo {
namespace {

#if defined(__x86_64__)
constexpr std::uint16_t HostMachine = EM_X86_64;
#elif defined(__aarch64__)
constexpr std::uint16_t HostMachine = EM_AARCH64;
#else
#error "name this machine's ELF number"
#endif
constexpr unsigned char HostOrder =
    std::endian::native == std::endian::little ? ELFDATA2LSB : ELFDATA2MSB;

// A file of known length, read in checked pieces.
class ElfFile {
 public:
  static Expected<ElfFile> open(const std::filesystem::path& path) {
    std::error_code error;
    const std::uintmax_t size = std::filesystem::file_size(path, error);
    if (error) return fail("cannot be read: {}", error.message());
    ElfFile file;
    file.size_ = size;
    file.stream_.open(path, std::ios::binary);
    if (!file.stream_) return fail("cannot be read: {}", std::strerror(errno));
    return file;
  }

  Expected<std::vector<std::byte>> read(std::uint64_t offset, std::uint64_t size,
                                        std::string_view what) {
    if (size > size_ || offset > size_ - size) {
      return fail("truncated ELF file: its {} should be {} bytes at {}, but the file has {} bytes",
                  what, size, offset, size_);
    }
    std::vector<std::byte> bytes(size);
    stream_.seekg(static_cast<std::streamoff>(offset));
    stream_.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(size));
    if (!stream_) return fail("cannot be read: {}", std::strerror(errno));
    return bytes;
  }

  template <class Record>
  Expected<Record> read_record(std::uint64_t offset, std::string_view what) {
    const auto bytes = read(offset, sizeof(Record), what);
    if (!bytes) return fail(bytes.error());
    Record record;
    std::memcpy(&record, bytes->data(), sizeof(Record));
    return record;
  }

 private:
  std::ifstream stream_;
  std::uint64_t size_ = 0;
};

// The identification, the first 16 bytes, tells how to read the rest.
Expected<Elf64_Ehdr> read_header(ElfFile& file) {
  const auto ident = file.read(0, EI_NIDENT, "identification");
  if (!ident || std::memcmp(ident->data(), ELFMAG, SELFMAG) != 0) {
    return fail("not an ELF shared library");
  }
  const auto byte = [&](std::size_t i) { return std::to_integer<unsigned char>((*ident)[i]); };
  if (byte(EI_CLASS) != ELFCLASS64 || byte(EI_DATA) != HostOrder) {
    return fail("an ELF file for another kind of machine");
  }
  auto header = file.read_record<Elf64_Ehdr>(0, "header");
  if (header && header->e_machine != HostMachine) {
    return fail("an ELF file for machine {}, this is machine {}", header->e_machine, HostMachine);
  }
  return header;
}

Expected<std::vector<Elf64_Shdr>> read_section_headers(ElfFile& file, const Elf64_Ehdr& header) {
  std::vector<Elf64_Shdr> sections;
  if (header.e_shoff == 0) return sections;
  if (header.e_shentsize != sizeof(Elf64_Shdr)) {
    return fail("damaged ELF file: section headers of {} bytes, expected {}", header.e_shentsize,
                sizeof(Elf64_Shdr));
  }
  const auto bytes = file.read(header.e_shoff, std::uint64_t{header.e_shnum} * sizeof(Elf64_Shdr),
                               "section headers");
  if (!bytes) return fail(bytes.error());
  sections.resize(header.e_shnum);
  if (!sections.empty()) std::memcpy(sections.data(), bytes->data(), bytes->size());
  return sections;
}

}  // namespace

Expected<std::optional<std::vector<std::byte>>> read_elf_section(const std::filesystem::path& path,
                                                                 std::string_view section) {
  auto file = ElfFile::open(path);
  if (!file) return fail(file.error());
  const auto header = read_header(*file);
  if (!header) return fail(header.error());
  const auto sections = read_section_headers(*file, *header);
  if (!sections) return fail(sections.error());
  if (sections->empty()) return std::nullopt;

  if (header->e_shstrndx >= sections->size()) {
    return fail("damaged ELF file: section names are in section {} of {}", header->e_shstrndx,
                sections->size());
  }
  const Elf64_Shdr& names_header = (*sections)[header->e_shstrndx];
  const auto names = file->read(names_header.sh_offset, names_header.sh_size, "section names");
  if (!names) return fail(names.error());

  for (const Elf64_Shdr& candidate : *sections) {
    if (candidate.sh_name >= names->size()) continue;
    const auto* begin = reinterpret_cast<const char*>(names->data()) + candidate.sh_name;
    const std::size_t limit = names->size() - candidate.sh_name;
    if (std::string_view(begin, strnlen(begin, limit)) != section) continue;
    if (candidate.sh_type == SHT_NOBITS) return std::vector<std::byte>();
    auto content = file->read(candidate.sh_offset, candidate.sh_size, section);
    if (!content) return fail(content.error());
    return std::move(*content);
  }
  return std::nullopt;
}

}  // namespace thallo
