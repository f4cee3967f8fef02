#include "core/plugin/library_section.h"

#include <gmock/gmock.h>

#include <elf.h>

#include <cstddef>
#include <cstring>
#include <fstream>
#include <iterator>
#include <random>
#include <string>

#include "core/plugin/abi.h"
#include "tests/support/temp_dir.h"

namespace thallo {
namespace {

using testing::HasSubstr, testing::StartsWith;

std::string content_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

class LibrarySectionTest : public testing::Test {
 protected:
  // What reading the plugin section of a file with this content is answered.
  std::string error_of(std::string_view content) {
    const auto read = read_library_section(folder_.write("x.so", content), THALLO_PLUGIN_SECTION);
    return read ? "" : read.error().what;
  }
  std::string with_header(const std::function<void(Elf64_Ehdr&)>& edit) const {
    std::string content = good_;
    Elf64_Ehdr header;
    std::memcpy(&header, content.data(), sizeof(header));
    edit(header);
    std::memcpy(content.data(), &header, sizeof(header));
    return content;
  }

  test::TempDir folder_;
  std::string good_ = content_of(THALLO_TEST_PLUGINS "/good.thallo.so");
};

TEST_F(LibrarySectionTest, AreReadOrAbsentOrEmpty) {
  const auto section =
      read_library_section(THALLO_TEST_PLUGINS "/good.thallo.so", ".thallo_plugin");
  ASSERT_TRUE(section && *section);
  ASSERT_EQ((*section)->size(), sizeof(ThalloPluginDescriptor));
  ThalloPluginDescriptor descriptor;
  std::memcpy(&descriptor, (*section)->data(), sizeof(descriptor));
  EXPECT_EQ(descriptor.magic, THALLO_PLUGIN_MAGIC);
  EXPECT_STREQ(descriptor.name, "good");
  EXPECT_STREQ(descriptor.version, "1.2.0");
  EXPECT_STREQ(descriptor.core_build, THALLO_CORE_BUILD_ID);
  const auto absent =
      read_library_section(THALLO_TEST_PLUGINS "/good.thallo.so", ".no_such_section");
  ASSERT_TRUE(absent);
  EXPECT_FALSE(absent->has_value());
  const auto empty = read_library_section(THALLO_TEST_PLUGINS "/good.thallo.so", ".bss");
  ASSERT_TRUE(empty && *empty);
  EXPECT_TRUE((*empty)->empty());
}

TEST_F(LibrarySectionTest, RefusesWhatIsNoLibraryOfThisMachine) {
  const auto section = read_library_section(folder_.path() / "none.so", ".text");
  ASSERT_FALSE(section);
  EXPECT_EQ(section.error().what, "cannot be read: No such file or directory");
  EXPECT_EQ(error_of("#!/bin/sh\necho hello\n"), "not an ELF file");
  EXPECT_EQ(error_of(""), "not an ELF file");
  EXPECT_EQ(error_of("\x7f"
                     "ELF"),
            "not an ELF file");
  EXPECT_EQ(error_of(with_header([](Elf64_Ehdr& h) { h.e_ident[EI_CLASS] = ELFCLASS32; })),
            "an ELF file for another kind of machine");
  EXPECT_THAT(error_of(with_header([](Elf64_Ehdr& h) { h.e_machine = EM_S390; })),
              StartsWith("an ELF file for machine 22, this is machine "));
  EXPECT_THAT(error_of(with_header([](Elf64_Ehdr& h) { h.e_shentsize = 40; })),
              HasSubstr("section headers of 40 bytes, expected 64"));
  EXPECT_THAT(error_of(with_header([](Elf64_Ehdr& h) { h.e_shoff = ~0ULL - 8; })),
              StartsWith("truncated ELF file: its section headers"));
  EXPECT_THAT(error_of(with_header([](Elf64_Ehdr& h) { h.e_shstrndx = 60000; })),
              HasSubstr("section names are in section 60000 of"));
}

// Section headers lie at the end of a library, so every cut loses some.
TEST_F(LibrarySectionTest, EveryTruncationIsNoticedAndDamagedBytesAreSurvived) {
  for (std::size_t size = 0; size < good_.size(); size += 509) {
    EXPECT_NE(error_of(std::string_view(good_).substr(0, size)), "") << size << " bytes";
  }
  EXPECT_THAT(error_of(std::string_view(good_).substr(0, 4096)),
              StartsWith("truncated ELF file: its section headers should be"));
  // Reading damaged bytes may succeed or fail, but must end and stay in bounds (the sanitizers
  // see).
  Elf64_Ehdr header;
  std::memcpy(&header, good_.data(), sizeof(header));
  const std::size_t headers_end = header.e_shoff + std::size_t{header.e_shnum} * sizeof(Elf64_Shdr);
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    std::string damaged = good_;
    for (int i = 0; i < 8; ++i) {
      const std::size_t span = headers_end - header.e_shoff;
      const std::size_t at = i < 2 ? random() % sizeof(header) : header.e_shoff + random() % span;
      damaged[at] = static_cast<char>(random());
    }
    error_of(damaged);
  }
}

}  // namespace
}  // namespace thallo
