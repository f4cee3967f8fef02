#include "core/base/io/file.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <stop_token>
#include <thread>
#include <tuple>

#include "core/base/stop_scope.h"
#include "tests/support/temp_dir.h"

namespace thallo {
namespace {

namespace fs = std::filesystem;
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

TEST_P(FileSuffix, RoundTripsCompressesAndMayBeConcatenated) {
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
  ASSERT_TRUE(write_file(path, "first "));
  const std::string first = raw_bytes(path);
  ASSERT_TRUE(write_file(path, "second"));
  const auto both = read_file(dir.write("both.bin", first + raw_bytes(path)));
  ASSERT_TRUE(both) << both.error().message();
  EXPECT_EQ(*both, "first second");
}

// 128 MiB of zeros, of which gzip makes a thousandth. What stands behind the place where the limit
// is exceeded is not unpacked, so it takes no memory.
TEST(File, AnArchiveThatUnpacksToNoDataSetIsRefusedBeforeItFillsTheMemory) {
  const test::TempDir dir;
  const auto path = dir.path() / "zeros.gz";
  ASSERT_TRUE(write_file(path, std::string(std::size_t{1} << 26, '\0')));
  // Archives can stand one after the other.
  const std::string once = raw_bytes(path);
  EXPECT_TRUE(read_file(path)) << "as much as is always unpacked";
  const auto content =
      read_file(dir.write("bomb.gz", once + once + "what is no archive" + make_content(100'000)));
  ASSERT_FALSE(content);
  EXPECT_THAT(content.error().message(), HasSubstr("which no data set does"));
}

TEST(File, IsReadFromAPipe) {
  const test::TempDir dir;
  const fs::path pipe = dir.path() / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const std::string content = make_content(300'000);
  std::thread writer([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    std::ofstream(pipe, std::ios::binary) << content;
  });
  const auto read = read_file(pipe);
  writer.join();
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ(*read, content);
}

// It waits for some seconds, as a person might begin to write; the stop ends that.
TEST(File, SaysWhatIsNoPlainFileAndLeavesAPipeThatNobodyWritesTo) {
  const test::TempDir dir;
  const fs::path pipe = dir.path() / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_TRUE(check_plain_file(dir.write("file", "")));
  EXPECT_TRUE(check_plain_file(dir.path() / "none"));
  EXPECT_EQ(check_plain_file(pipe).error().message(),
            pipe.string() + ": this is a pipe, not a file");
  EXPECT_EQ(check_plain_file("/dev/null", "a store").error().message(),
            "/dev/null: this is a device, not a store");
  std::stop_source stop;
  std::jthread stopper([&] { stop.request_stop(); });
  const StopScope scope(stop.get_token());
  EXPECT_THROW(std::ignore = read_file(pipe), Stopped);
}

TEST_P(FileSuffix, ATruncatedOrDamagedArchiveIsAnError) {
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
  if (compression_of_name(path) == Compression::None) return;
  ASSERT_TRUE(write_file(path, make_content(3000)));
  std::string bytes = raw_bytes(path);
  bytes[bytes.size() / 2] ^= 0x55;
  EXPECT_FALSE(read_file(dir.write("damaged.bin", bytes)));
}

INSTANTIATE_TEST_SUITE_P(All, FileSuffix, testing::Values("", ".gz", ".bz2", ".xz"),
                         [](const auto& suffix) {
                           return *suffix.param ? std::string(suffix.param + 1) : "plain";
                         });

TEST(File, SaysWhyItCannotBeReadOrWritten) {
  EXPECT_EQ(read_file("/no/such/file.txt").error().message(),
            "/no/such/file.txt: cannot be opened: No such file or directory");
  const test::TempDir dir;
  EXPECT_THAT(read_file(dir.path()).error().message(), HasSubstr("this is a folder, not a file"));
  EXPECT_THAT(read_file(dir.write("a.gz", "plain text")).error().message(),
              HasSubstr("a.gz: is named like a gzip file, but its content is not gzip"));
  EXPECT_EQ(write_file("/no/such/file.txt", "x").error().message(),
            "/no/such/file.txt: cannot be written: No such file or directory");
  const auto content = read_file("/dev/zero");
  ASSERT_FALSE(content);
  EXPECT_EQ(content.error().message(), "/dev/zero: this is a device, not a file");
}

TEST(File, WritesWhatALinkNames) {
  const test::TempDir dir;
  const fs::path file = dir.write("file.txt", "before");
  fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write);
  fs::create_symlink("file.txt", dir.path() / "link");
  fs::create_symlink("link", dir.path() / "second");
  fs::create_symlink("new.txt", dir.path() / "dangling");
  ASSERT_TRUE(write_file(dir.path() / "second", "after"));
  ASSERT_TRUE(write_file(dir.path() / "dangling", "new"));
  EXPECT_TRUE(fs::is_symlink(dir.path() / "second"));
  EXPECT_TRUE(fs::is_symlink(dir.path() / "dangling"));
  EXPECT_EQ(*read_file(file), "after");
  EXPECT_EQ(*read_file(dir.path() / "new.txt"), "new");
  EXPECT_EQ(fs::status(file).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST(File, LeavesNothingBesideTheTarget) {
  const test::TempDir dir;
  ASSERT_TRUE(write_file(dir.path() / "a.txt", "x"));
  ASSERT_TRUE(write_file(dir.path() / "a.txt", "y"));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(dir.path()), {}), 1);
}

TEST(File, IsNoDeviceOrPipeThatWouldBeReplaced) {
  const test::TempDir dir;
  const fs::path pipe = dir.path() / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  std::string arrived;
  std::thread reader([&] {
    std::ifstream in(pipe);
    in >> arrived;
  });
  ASSERT_TRUE(write_file(pipe, "through"));
  reader.join();
  EXPECT_EQ(arrived, "through");
  EXPECT_EQ(fs::status(pipe).type(), fs::file_type::fifo);
  // /dev/full takes nothing.
  fs::create_symlink("/dev/full", dir.path() / "full");
  EXPECT_THAT(write_file(dir.path() / "full", std::string(10'000, 'x')).error().message(),
              HasSubstr("cannot be written: No space left on device"));
  EXPECT_EQ(fs::status("/dev/full").type(), fs::file_type::character);
}

}  // namespace
}  // namespace thallo
