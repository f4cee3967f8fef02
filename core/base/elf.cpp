#include "core/base/elf.h"

#include <elf.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>
#include <utility>

namespace thallo {
namespace {

constexpr unsigned char HostOrder =
    std::endian::native == std::endian::little ? ELFDATA2LSB : ELFDATA2MSB;

// The identification, the first 16 bytes, tells how to read the rest.
Expected<void> check_identification(const std::vector<std::byte>& ident) {
  const auto byte = [&](std::size_t i) { return std::to_integer<unsigned char>(ident[i]); };
  if (std::memcmp(ident.data(), ELFMAG, SELFMAG) != 0) return fail("not an ELF file");
  if (byte(EI_CLASS) != ELFCLASS64 || byte(EI_DATA) != HostOrder)
    return fail("an ELF file for another kind of machine");
  return {};
}

// The text that begins at `begin`; "" beyond the end.
std::string text_at(const std::vector<std::byte>& texts, std::size_t begin) {
  if (begin >= texts.size()) return "";
  const auto* first = reinterpret_cast<const char*>(texts.data()) + begin;
  return {first, strnlen(first, texts.size() - begin)};
}

// True if a segment brings the section's bytes in the file to its address.
bool is_mapped(const ElfSection& section, const std::vector<Elf64_Phdr>& segments) {
  if (!section.has_content || section.size == 0) return true;
  return std::ranges::any_of(segments, [&](const Elf64_Phdr& segment) {
    return segment.p_type == PT_LOAD && section.address >= segment.p_vaddr &&
           section.address + section.size <= segment.p_vaddr + segment.p_filesz &&
           section.offset - segment.p_offset == section.address - segment.p_vaddr;
  });
}

}  // namespace

Expected<ElfFile> ElfFile::open(const std::filesystem::path& path) {
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  if (error) return fail("cannot be read: {}", error.message());
  auto stream = std::make_unique<std::ifstream>(path, std::ios::binary);
  if (!*stream) return fail("cannot be read: {}", std::strerror(errno));
  return read(std::move(stream), size);
}

Expected<ElfFile> ElfFile::parse(std::string bytes) {
  const std::size_t size = bytes.size();
  return read(std::make_unique<std::istringstream>(std::move(bytes)), size);
}

Expected<ElfFile> ElfFile::read(std::unique_ptr<std::istream> stream, std::uint64_t size) {
  ElfFile file(std::move(stream), size);
  const auto ident = file.read(0, EI_NIDENT, "identification");
  if (!ident) return fail("not an ELF file");
  THALLO_CHECK(check_identification(*ident));
  THALLO_TRY(const auto header_bytes, file.read(0, sizeof(Elf64_Ehdr), "header"));
  Elf64_Ehdr header;
  std::memcpy(&header, header_bytes.data(), sizeof header);
  file.machine_ = header.e_machine;
  file.segments_offset_ = header.e_phoff;
  file.segments_size_ = std::uint64_t{header.e_phnum} * header.e_phentsize;
  if (header.e_shoff == 0 || header.e_shnum == 0) return file;

  if (header.e_shentsize != sizeof(Elf64_Shdr)) {
    return fail("damaged ELF file: section headers of {} bytes, expected {}", header.e_shentsize,
                sizeof(Elf64_Shdr));
  }
  THALLO_TRY(const auto bytes,
             file.read(header.e_shoff, std::uint64_t{header.e_shnum} * sizeof(Elf64_Shdr),
                       "section headers"));
  std::vector<Elf64_Shdr> sections(header.e_shnum);
  std::memcpy(sections.data(), bytes.data(), bytes.size());
  if (header.e_shstrndx >= sections.size()) {
    return fail("damaged ELF file: section names are in section {} of {}", header.e_shstrndx,
                sections.size());
  }
  const Elf64_Shdr& names_header = sections[header.e_shstrndx];
  THALLO_TRY(const auto names,
             file.read(names_header.sh_offset, names_header.sh_size, "section names"));
  for (const Elf64_Shdr& section : sections) {
    file.sections_.push_back({.name = text_at(names, section.sh_name),
                              .size = section.sh_size,
                              .link = section.sh_link,
                              .offset = section.sh_offset,
                              .address = section.sh_addr,
                              .has_content = section.sh_type != SHT_NOBITS,
                              .is_loaded = (section.sh_flags & SHF_ALLOC) != 0});
  }
  return file;
}

const ElfSection* ElfFile::find(std::string_view name) const {
  const auto found = std::ranges::find(sections_, name, &ElfSection::name);
  return found == sections_.end() ? nullptr : &*found;
}

Expected<std::vector<std::byte>> ElfFile::content(const ElfSection& section) {
  if (!section.has_content) return std::vector<std::byte>();
  return read(section.offset, section.size, section.name);
}

Expected<Hash128> ElfFile::loaded_checksum(std::string_view left_out) {
  THALLO_TRY(const auto bytes, read(segments_offset_, segments_size_, "program headers"));
  std::vector<Elf64_Phdr> segments(bytes.size() / sizeof(Elf64_Phdr));
  std::memcpy(segments.data(), bytes.data(), segments.size() * sizeof(Elf64_Phdr));
  Hasher hasher;
  for (const Elf64_Phdr& segment : segments) {
    hasher.update(std::uint64_t{segment.p_type}).update(std::uint64_t{segment.p_flags});
    hasher.update(std::uint64_t{segment.p_vaddr}).update(std::uint64_t{segment.p_memsz});
  }
  for (const ElfSection& section : sections_) {
    if (!section.is_loaded) continue;
    if (!is_mapped(section, segments))
      return fail("damaged ELF file: {} is loaded from another place than it is at", section.name);
    if (section.name == left_out) continue;
    THALLO_TRY(const auto loaded, content(section));
    hasher.update(section.name).update(section.address).update(std::span(loaded));
  }
  return hasher.finish();
}

Expected<std::vector<std::byte>> ElfFile::read(std::uint64_t offset, std::uint64_t size,
                                               std::string_view what) {
  if (size > size_ || offset > size_ - size) {
    return fail("truncated ELF file: its {} should be {} bytes at {}, but the file has {} bytes",
                what, size, offset, size_);
  }
  std::vector<std::byte> bytes(size);
  stream_->seekg(static_cast<std::streamoff>(offset));
  stream_->read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(size));
  if (!*stream_) return fail("cannot be read: {}", std::strerror(errno));
  return bytes;
}

}  // namespace thallo
