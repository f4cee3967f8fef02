#include "core/base/io/file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <random>
#include <sstream>

#include "tests/support/temp_dir.h"

namespace thallo {
namespace {

using testing::HasSubstr;

// Half of it compresses, half of it does not.
std::string make_content(std::size_t size) {
  std::mt19937 random(7);
  std::string content(size, 'a');
  for (std::size_t i = 0; i < size; i += 2) content[i] = static_cast<char>(random());
  return content;
}

std::string raw_bytes(const std::filesystem::path& path) {
  std::ostringstream out;
  out << std::ifstream(path, std::ios::binary).rdbuf();
  return out.str();
}

class FileSuffix : public testing::TestWithParam<const char*> {};

TEST_P(FileSuffix, RoundTripsAndCompresses) {
  const test::TempDir dir;
  const auto path = dir.path() / (std::string("data.txt") + GetParam());
  for (const std::size_t size : {0, 1, 1000, 300'000}) {
    const std::string content = make_content(size);
    ASSERT_TRUE(write_file(path, content));
    const auto back = read_file(path);
    ASSERT_TRUE(back) << back.error().message();
    EXPECT_EQ(*back, content);
    EXPECT_EQ(compression_of_content(raw_bytes(path)), compression_of_name(path));
  }
}

TEST(File, ADeviceIsNoFile) {
  const auto content = read_file("/dev/zero");
  ASSERT_FALSE(content);
  EXPECT_EQ(content.error().message(), "/dev/zero: cannot be read: it is a device, not a file");
}

// 128 MiB of zeros, which bzip2 packs into a few hundred bytes.
TEST(File, AnArchiveThatUnpacksToNoDataSetIsRefusedBeforeItFillsTheMemory) {
  const test::TempDir dir;
  const auto path = dir.path() / "zeros.bz2";
  ASSERT_TRUE(write_file(path, std::string(std::size_t{1} << 26, '\0')));
  // Archives can stand one after the other.
  const std::string once = raw_bytes(path);
  ASSERT_LT(once.size(), 1000u);
  EXPECT_TRUE(read_file(path)) << "as much as is always unpacked";
  const auto content = read_file(dir.write("bomb.bz2", once + once));
  ASSERT_FALSE(content);
  EXPECT_THAT(content.error().message(), HasSubstr("to more than 64 MiB"));
}

TEST_P(FileSuffix, ATruncatedArchiveIsAnErrorWhereverItEnds) {
  const test::TempDir dir;
  const auto path = dir.path() / (std::string("data.txt") + GetParam());
  if (compression_of_name(path) == Compression::None) return;
  ASSERT_TRUE(write_file(path, make_content(300'000)));
  const std::string whole = raw_bytes(path);
  for (const std::size_t size :
       {std::size_t{12}, whole.size() / 3, whole.size() - 20, whole.size() - 4, whole.size() - 1}) {
    const auto cut = dir.write("cut.bin", whole.substr(0, size));
    const auto back = read_file(cut);
    ASSERT_FALSE(back) << "cut to " << size << " of " << whole.size() << " bytes";
    EXPECT_THAT(back.error().message(), HasSubstr("cut.bin: is truncated or damaged"));
  }
}

TEST_P(FileSuffix, ADamagedArchiveIsAnError) {
  const test::TempDir dir;
  const auto path = dir.path() / (std::string("data.txt") + GetParam());
  if (compression_of_name(path) == Compression::None) return;
  ASSERT_TRUE(write_file(path, make_content(3000)));
  std::string bytes = raw_bytes(path);
  bytes[bytes.size() / 2] ^= 0x55;
  EXPECT_FALSE(read_file(dir.write("damaged.bin", bytes)));
}

TEST_P(FileSuffix, ArchivesMayBeConcatenated) {
  const test::TempDir dir;
  const auto path = dir.path() / (std::string("data.txt") + GetParam());
  ASSERT_TRUE(write_file(path, "first "));
  const std::string first = raw_bytes(path);
  ASSERT_TRUE(write_file(path, "second"));
  const auto both = read_file(dir.write("both.bin", first + raw_bytes(path)));
  ASSERT_TRUE(both) << both.error().message();
  EXPECT_EQ(*both, "first second");
}

INSTANTIATE_TEST_SUITE_P(All, FileSuffix, testing::Values("", ".gz", ".bz2", ".xz"),
                         [](const auto& suffix) {
                           return *suffix.param ? std::string(suffix.param + 1) : "plain";
                         });

TEST(File, SaysThatItIsAbsent) {
  EXPECT_EQ(read_file("/no/such/file.txt").error().message(),
            "/no/such/file.txt: cannot be opened: No such file or directory");
}

TEST(File, SaysThatItIsAFolder) {
  const test::TempDir dir;
  EXPECT_THAT(read_file(dir.path()).error().message(), HasSubstr("it is a folder"));
}

TEST(File, SaysThatTheNameLies) {
  const test::TempDir dir;
  EXPECT_THAT(read_file(dir.write("a.gz", "plain text")).error().message(),
              HasSubstr("a.gz: is named like a gzip file, but its content is not gzip"));
}

TEST(File, SaysThatItCannotBeWritten) {
  EXPECT_EQ(write_file("/no/such/file.txt", "x").error().message(),
            "/no/such/file.txt: cannot be written: No such file or directory");
}

TEST(File, LeavesNothingBesideTheTarget) {
  const test::TempDir dir;
  ASSERT_TRUE(write_file(dir.path() / "a.txt", "x"));
  ASSERT_TRUE(write_file(dir.path() / "a.txt", "y"));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(dir.path()), {}), 1);
}

}  // namespace
}  // namespace thallo
