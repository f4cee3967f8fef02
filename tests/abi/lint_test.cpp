// Plugins run no code when they are loaded. A namespace-scope object with a constructor leaves a
// function pointer in .init_array, where the C runtime has exactly one of its own.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "core/plugin/elf.h"
#include "core/plugin/loader.h"

namespace thallo {
namespace {

std::size_t num_initializers(const std::filesystem::path& library) {
  const auto section = read_elf_section(library, ".init_array");
  EXPECT_TRUE(section) << library << ": " << (section ? "" : section.error().what);
  return section && *section ? (*section)->size() / sizeof(void (*)()) : 0;
}

TEST(PluginLint, PluginsHaveNoStaticInitializers) {
#ifdef THALLO_SANITIZED
  GTEST_SKIP() << "sanitizers add initializers of their own";
#endif
  for (const char* kind : {"plugins", "problems"}) {
    const auto folder = std::filesystem::path(THALLO_LIB_DIR) / "thallo" / kind;
    if (!std::filesystem::is_directory(folder)) continue;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      if (!read_plugin(entry.path())) continue;
      EXPECT_EQ(num_initializers(entry.path()), 1U)
          << entry.path() << " has a namespace-scope object with a constructor";
    }
  }
}

TEST(PluginLint, SeesANamespaceScopeObjectWithAConstructor) {
#ifdef THALLO_SANITIZED
  GTEST_SKIP() << "sanitizers add initializers of their own";
#endif
  EXPECT_EQ(num_initializers(THALLO_TEST_PLUGINS "/good.thallo.so"), 1U);
  EXPECT_EQ(num_initializers(THALLO_TEST_PLUGINS "/has_constructor.thallo.so"), 2U);
}

}  // namespace
}  // namespace thallo
