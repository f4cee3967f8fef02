#include "core/base/elf.h"

#include <gmock/gmock.h>

#include <elf.h>

#include "tests/support/hand_elf.h"
#include "tests/support/temp_dir.h"

namespace thallo {
namespace {

using test::hand_elf;
using testing::ElementsAre, testing::StartsWith;

const std::string two_sections =
    hand_elf(EM_X86_64, {{.name = ".text", .content = "code", .link = 7},
                         {.name = ".bss", .size = std::uint64_t{1} << 40}});

std::string text_of(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

TEST(Elf, ListsSectionsAndReadsTheirContent) {
  auto file = ElfFile::parse(two_sections);
  ASSERT_TRUE(file) << file.error().what;
  EXPECT_EQ(file->machine(), EM_X86_64);
  std::vector<std::string> names;
  for (const ElfSection& section : file->sections()) names.push_back(section.name);
  EXPECT_THAT(names, ElementsAre("", ".text", ".bss", ".shstrtab"));
  EXPECT_EQ(file->find(".text")->link, 7u);
  EXPECT_EQ(file->find(".data"), nullptr);
  file = ElfFile::parse(two_sections);
  ASSERT_TRUE(file) << file.error().what;
  const auto content = file->content(*file->find(".text"));
  ASSERT_TRUE(content) << content.error().what;
  EXPECT_EQ(text_of(*content), "code");
  ASSERT_TRUE(file) << file.error().what;
  EXPECT_EQ(file->find(".bss")->size, std::uint64_t{1} << 40);
  EXPECT_TRUE(file->content(*file->find(".bss")).value().empty());
  const test::TempDir folder;
  file = ElfFile::open(folder.write("x.so", two_sections));
  ASSERT_TRUE(file) << file.error().what;
  EXPECT_EQ(text_of(file->content(*file->find(".text")).value()), "code");
}

// The section headers stand at the end, so that every cut loses some.
TEST(Elf, RefusesContentBeyondTheEnd) {
  for (std::size_t size = 0; size < two_sections.size(); ++size) {
    const auto file = ElfFile::parse(two_sections.substr(0, size));
    EXPECT_FALSE(file) << size << " bytes";
  }
  EXPECT_THAT(ElfFile::parse(two_sections.substr(0, two_sections.size() - 1)).error().what,
              StartsWith("truncated ELF file: its section headers should be"));
  auto file = ElfFile::parse(two_sections);
  ASSERT_TRUE(file) << file.error().what;
  ElfSection beyond = *file->find(".text");
  beyond.offset = ~std::uint64_t{0} - 1;
  EXPECT_THAT(file->content(beyond).error().what,
              StartsWith("truncated ELF file: its .text should be 4 bytes at"));
  EXPECT_TRUE(file->content(*file->find(".text"))) << "it can be read after a refusal";
}

}  // namespace
}  // namespace thallo
