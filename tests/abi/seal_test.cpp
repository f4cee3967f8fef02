#include "core/plugin/seal.h"

#include <gtest/gtest.h>

#include <elf.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "core/base/elf.h"
#include "core/plugin/abi.h"
#include "core/plugin/loader.h"
#include "tests/support/temp_dir.h"

namespace thallo {
namespace {

std::string bytes_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

class PluginSeal : public testing::Test {
 protected:
  // The message that refuses a plugin with these bytes; empty if it is taken.
  std::string refusal_of(const std::string& bytes) {
    const auto plugin = read_plugin(folder_.write("x.thallo.so", bytes));
    return plugin ? "" : plugin.error().message;
  }
  std::uint64_t offset_of(const char* section) const {
    const auto file = ElfFile::parse(good_);
    return file->find(section)->offset;
  }
  std::string damaged() const {
    return (folder_.path() / "x.thallo.so").string() +
           ": damaged: its content differs from what was built. Build or install it again.";
  }

  test::TempDir folder_;
  std::string good_ = bytes_of(THALLO_TEST_PLUGINS "/good.thallo.so");
};

TEST_F(PluginSeal, OfTheBuildFindsAFlippedBitOfWhatIsLoaded) {
  EXPECT_NE(good_.substr(offset_of(THALLO_SEAL_SECTION), sizeof(Hash128)),
            std::string(sizeof(Hash128), '\0'));
  EXPECT_EQ(refusal_of(good_), "");
  for (const char* section :
       {".text", ".dynamic", ".dynsym", ".rodata", THALLO_SEAL_SECTION, THALLO_PLUGIN_SECTION}) {
    std::string flipped = good_;
    flipped[offset_of(section) + 9] ^= 4;
    EXPECT_EQ(refusal_of(flipped), damaged()) << section;
  }
  std::string flipped = good_;
  flipped[sizeof(Elf64_Ehdr) + offsetof(Elf64_Phdr, p_vaddr)] ^= 1;
  EXPECT_EQ(refusal_of(flipped), damaged()) << "program header";
}

// Packages are stripped after they were sealed.
TEST_F(PluginSeal, AStrippedPluginIsTaken) {
  const std::filesystem::path file = folder_.write("x.thallo.so", good_);
  if (std::system(("strip " + file.string()).c_str()) != 0) GTEST_SKIP() << "there is no strip";
  const std::string stripped = bytes_of(file);
  EXPECT_LT(stripped.size(), good_.size());
  EXPECT_EQ(refusal_of(stripped), "");
}

TEST_F(PluginSeal, OfAPluginMayBeMissingOrMadeAgain) {
  std::string open = good_;
  open.replace(offset_of(THALLO_SEAL_SECTION), sizeof(Hash128), sizeof(Hash128), '\0');
  open[offset_of(".rodata") + 9] ^= 4;
  EXPECT_EQ(refusal_of(open), "");
  std::string changed = good_;
  changed[offset_of(".rodata") + 9] ^= 4;
  EXPECT_EQ(refusal_of(changed), damaged());
  ASSERT_TRUE(seal_library(folder_.path() / "x.thallo.so"));
  EXPECT_EQ(refusal_of(bytes_of(folder_.path() / "x.thallo.so")), "");
  const auto sealed = seal_library(folder_.write("text.thallo.so", "int main() {}\n"));
  ASSERT_FALSE(sealed);
  EXPECT_EQ(sealed.error().message(),
            (folder_.path() / "text.thallo.so").string() + ": not an ELF file");
}

}  // namespace
}  // namespace thallo
