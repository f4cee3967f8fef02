#include "tests/support/hand_elf.h"

#include <elf.h>

#include <bit>
#include <cstring>

namespace thallo::test {
namespace {

template <class Record>
std::string bytes_of(const Record& record) {
  return {reinterpret_cast<const char*>(&record), sizeof record};
}

}  // namespace

std::string hand_elf(std::uint16_t machine, const std::vector<HandSection>& sections) {
  std::string body;
  std::string names(1, '\0');
  std::vector<Elf64_Shdr> headers(1);
  const auto add = [&](const HandSection& section, std::uint32_t type) {
    Elf64_Shdr header{};
    header.sh_name = static_cast<Elf64_Word>(names.size());
    header.sh_type = type;
    header.sh_offset = sizeof(Elf64_Ehdr) + body.size();
    header.sh_size = type == SHT_NOBITS ? section.size : section.content.size();
    header.sh_link = section.link;
    headers.push_back(header);
    names += section.name + '\0';
    body += section.content;
  };
  for (const HandSection& section : sections)
    add(section, section.content.empty() ? SHT_NOBITS : SHT_PROGBITS);
  const std::size_t before = names.size();
  add({.name = ".shstrtab", .content = names + std::string(".shstrtab") + '\0'}, SHT_STRTAB);
  headers.back().sh_name = static_cast<Elf64_Word>(before);

  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = std::endian::native == std::endian::little ? ELFDATA2LSB : ELFDATA2MSB;
  header.e_machine = machine;
  header.e_shoff = sizeof(Elf64_Ehdr) + body.size();
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = static_cast<Elf64_Half>(headers.size());
  header.e_shstrndx = static_cast<Elf64_Half>(headers.size() - 1);
  std::string file = bytes_of(header) + body;
  for (const Elf64_Shdr& section : headers) file += bytes_of(section);
  return file;
}

}  // namespace thallo::test
