#include "core/plugin/library_section.h"

#include <elf.h>

#include "core/base/elf.h"

namespace thallo {
namespace {

#if defined(__x86_64__)
constexpr std::uint16_t OwnMachine = EM_X86_64;
#elif defined(__aarch64__)
constexpr std::uint16_t OwnMachine = EM_AARCH64;
#else
#error "name this machine's ELF number"
#endif

}  // namespace

Expected<std::optional<std::vector<std::byte>>> read_library_section(
    const std::filesystem::path& path, std::string_view section) {
  THALLO_TRY(auto file, ElfFile::open(path));
  if (file.machine() != OwnMachine) {
    return fail("an ELF file for machine {}, this is machine {}", file.machine(), OwnMachine);
  }
  const ElfSection* found = file.find(section);
  if (found == nullptr) return std::nullopt;
  THALLO_TRY(auto content, file.content(*found));
  return content;
}

}  // namespace thallo
