// Plugins run no code of their own when they are loaded. A namespace-scope object with a
// constructor leaves a function pointer in .init_array, where the C runtime has exactly one of its
// own, and lies in .bss until that function has run. (Unoptimized, Eigen's headers have such
// objects too: empty tags, whose initializers do nothing.)
#include <gmock/gmock.h>

#include <elf.h>

#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/plugin/demangle.h"
#include "core/plugin/library_section.h"
#include "core/plugin/loader.h"

namespace thallo {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre, testing::IsEmpty;

std::vector<std::byte> section_of(const fs::path& library, const char* name) {
  const auto section = read_library_section(library, name);
  EXPECT_TRUE(section) << library << ": " << (section ? "" : section.error().what);
  return section && *section ? **section : std::vector<std::byte>();
}

// A name within a function, or of a library that is only headers.
bool is_excused(std::string name) {
  constexpr std::string_view Anonymous = "(anonymous namespace)";
  if (name.starts_with("Eigen::") || name.starts_with("completed.")) return true;
  if (const auto at = name.find(Anonymous); at != std::string::npos) {
    name.erase(at, Anonymous.size());
  }
  return name.find('(') != std::string::npos;
}

// Our objects that an initializer of the library may be for; none when it has no initializer.
std::vector<std::string> constructed_objects(const fs::path& library) {
  std::vector<std::string> objects;
  if (section_of(library, ".init_array").size() == sizeof(void (*)())) return objects;

  const auto texts = section_of(library, ".strtab");
  const auto bytes = section_of(library, ".symtab");
  std::vector<Elf64_Sym> symbols(bytes.size() / sizeof(Elf64_Sym));
  std::memcpy(symbols.data(), bytes.data(), symbols.size() * sizeof(Elf64_Sym));
  const auto name_of = [&](const Elf64_Sym& symbol) {
    return std::string(reinterpret_cast<const char*>(texts.data()) + symbol.st_name);
  };
  Elf64_Section bss = SHN_UNDEF;
  for (const Elf64_Sym& symbol : symbols) {
    // The C runtime's own flag.
    if (name_of(symbol).starts_with("completed.")) bss = symbol.st_shndx;
  }
  if (bss == SHN_UNDEF) return {"unknown: the library has no symbols"};
  for (const Elf64_Sym& symbol : symbols) {
    if (symbol.st_shndx != bss || ELF64_ST_TYPE(symbol.st_info) != STT_OBJECT) continue;
    const std::string name = demangle(name_of(symbol));
    if (!is_excused(name)) objects.push_back(name);
  }
  return objects;
}

TEST(PluginLint, PluginsHaveNoStaticInitializers) {
#ifdef THALLO_SANITIZED
  GTEST_SKIP() << "sanitizers add initializers of their own";
#endif
  for (const char* kind : {"plugins", "problems"}) {
    const auto folder = fs::path(THALLO_LIB_DIR) / "thallo" / kind;
    if (!fs::is_directory(folder)) continue;
    for (const auto& entry : fs::directory_iterator(folder)) {
      if (!read_plugin(entry.path())) continue;
      EXPECT_THAT(constructed_objects(entry.path()), IsEmpty())
          << entry.path() << " has a namespace-scope object with a constructor";
    }
  }
}

TEST(PluginLint, SeesANamespaceScopeObjectWithAConstructor) {
#ifdef THALLO_SANITIZED
  GTEST_SKIP() << "sanitizers add initializers of their own";
#endif
  EXPECT_THAT(constructed_objects(THALLO_TEST_PLUGINS "/good.thallo.so"), IsEmpty());
  EXPECT_THAT(constructed_objects(THALLO_TEST_PLUGINS "/has_constructor.thallo.so"),
              ElementsAre("(anonymous namespace)::global_numbers"));
}

}  // namespace
}  // namespace thallo
