#include "core/plugin/seal.h"

#include <cerrno>
#include <cstring>
#include <fstream>

#include "core/base/elf.h"
#include "core/base/hash.h"
#include "core/plugin/abi.h"

namespace thallo {
namespace {

// Returns null if the library has no room for a seal.
const ElfSection* find_seal(const ElfFile& file) {
  const ElfSection* section = file.find(THALLO_SEAL_SECTION);
  return section != nullptr && section->size == sizeof(Hash128) ? section : nullptr;
}

}  // namespace

Expected<void> seal_library(const std::filesystem::path& path) {
  auto file = ElfFile::open(path);
  if (!file) return fail_at({path}, "{}", file.error().what);
  const ElfSection* section = find_seal(*file);
  if (section == nullptr) return {};
  const auto checksum = file->loaded_checksum(section->name);
  if (!checksum) return fail_at({path}, "{}", checksum.error().what);
  std::fstream out(path, std::ios::binary | std::ios::in | std::ios::out);
  out.seekp(static_cast<std::streamoff>(section->offset));
  if (!out.write(reinterpret_cast<const char*>(&*checksum), sizeof(Hash128)).flush())
    return fail_at({path}, "cannot be written: {}", std::strerror(errno));
  return {};
}

Expected<void> check_seal(const std::filesystem::path& path) {
  THALLO_TRY(auto file, ElfFile::open(path));
  const ElfSection* section = find_seal(file);
  if (section == nullptr) return {};
  const auto bytes = file.content(*section);
  const auto found = file.loaded_checksum(section->name);
  if (!bytes) return fail(bytes.error());
  if (!found) return fail(found.error());
  Hash128 sealed;
  std::memcpy(&sealed, bytes->data(), sizeof(sealed));
  if (sealed == Hash128() || sealed == *found) return {};
  return fail("its content differs from what was built");
}

}  // namespace thallo
