#include "core/backend/kernel_cache.h"

#include <gmock/gmock.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>

#include "core/base/log.h"
#include "tests/support/scoped_env.h"
#include "tests/support/temp_dir.h"

namespace thallo {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

const CacheKey key{"cc 12 -O3", "void f(void) {}"};

std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}
void write(const fs::path& path, const std::string& content) {
  std::ofstream(path, std::ios::binary) << content;
}

class Cache : public testing::Test {
 protected:
  test::TempDir folder_;
  KernelCache cache_{folder_.path() / "kernels"};
};

TEST_F(Cache, GivesBackWhatWasStoredByItsKey) {
  EXPECT_FALSE(cache_.find(key).has_value());
  const std::string bytes("\0binary\0", 8);
  cache_.store(key, bytes);
  EXPECT_EQ(cache_.find(key), bytes);
  cache_.store(key, "a");
  EXPECT_FALSE(cache_.find({key.identity + " -g", key.text}).has_value());
  EXPECT_FALSE(cache_.find({key.identity, key.text + " "}).has_value());
  // The same characters, cut elsewhere.
  EXPECT_FALSE(cache_.find({key.identity + "v", key.text.substr(1)}).has_value());
}

TEST_F(Cache, AnEntryAppearsAtOnceAndLeavesNothingBeside) {
  cache_.store(key, "first");
  cache_.store(key, "second");
  EXPECT_EQ(cache_.find(key), "second");
  int files = 0;
  for (const auto& entry : fs::directory_iterator(cache_.folder())) {
    files += entry.is_regular_file() ? 1 : 0;
  }
  EXPECT_EQ(files, 1);
}

struct Damage {
  std::string name;
  std::function<std::string(std::string)> apply;
  std::string reason;
};

class DamagedEntry : public testing::TestWithParam<Damage> {};

TEST_P(DamagedEntry, IsRefusedByNameAndReplaced) {
  const test::TempDir folder;
  const KernelCache cache(folder.path());
  cache.store(key, "compiled");
  write(cache.path(key), GetParam().apply(read(cache.path(key))));
  {
    const LogCapture log;
    EXPECT_FALSE(cache.find(key).has_value());
    ASSERT_EQ(log.records().size(), 1u);
    EXPECT_EQ(log.records()[0].level, LogLevel::Warn);
    EXPECT_THAT(log.records()[0].text, HasSubstr(GetParam().reason));
    EXPECT_THAT(log.records()[0].text, HasSubstr(cache.path(key).string()));
  }
  cache.store(key, "compiled again");
  EXPECT_EQ(cache.find(key), "compiled again");
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, DamagedEntry,
    testing::Values(Damage{"TruncatedHeader", [](std::string s) { return s.substr(0, 20); },
                           "truncated"},
                    Damage{"TruncatedBytes",
                           [](std::string s) { return s.substr(0, s.size() - 3); }, "truncated"},
                    Damage{"Empty", [](const std::string&) { return std::string(); }, "truncated"},
                    Damage{"FlippedByte",
                           [](std::string s) {
                             s.back() = static_cast<char>(s.back() ^ 1);
                             return s;
                           },
                           "checksum mismatch"},
                    Damage{"OtherVersion",
                           [](std::string s) {
                             s[8] = 99;
                             return s;
                           },
                           "version 99"},
                    Damage{"OtherFile",
                           [](std::string s) {
                             s.replace(0, 4,
                                       "\x7f"
                                       "ELF");
                             return s;
                           },
                           "not a cache entry"}),
    [](const auto& kind) { return kind.param.name; });

TEST_F(Cache, AnotherKeyUnderTheSameNameIsACollision) {
  const CacheKey other{key.identity, "other text"};
  cache_.store(other, "other code");
  fs::rename(cache_.path(other), cache_.path(key));
  const LogCapture log;
  EXPECT_FALSE(cache_.find(key).has_value());
  ASSERT_EQ(log.records().size(), 1u);
  EXPECT_THAT(log.records()[0].text, HasSubstr("hash collision"));
}

TEST_F(Cache, AFolderInThePlaceOfAnEntryIsAMiss) {
  fs::create_directories(cache_.path(key));
  LogCapture log;
  EXPECT_FALSE(cache_.find(key).has_value());
  ASSERT_EQ(log.records().size(), 1u);
  EXPECT_EQ(log.records()[0].text,
            cache_.path(key).string() + " refused: a folder or a device; recompiling");
  cache_.store(key, "bytes");
  ASSERT_EQ(log.records().size(), 2u);
  EXPECT_THAT(log.records()[1].text, HasSubstr("cannot be written"));
}

TEST_F(Cache, AFolderThatCannotBeWrittenIsSaidOnce) {
  const fs::path file = folder_.path() / "file";
  write(file, "");
  const KernelCache cache(file / "kernels");  // below a file: fails for root too
  const LogCapture log;
  cache.store(key, "a");
  cache.store(key, "b");
  EXPECT_FALSE(cache.find(key).has_value());
  ASSERT_EQ(log.records().size(), 1u);
  EXPECT_THAT(log.records()[0].text, HasSubstr("compiled kernels are not kept"));
}

TEST_F(Cache, WithoutAFolderIsAlwaysAMiss) {
  const KernelCache off({});
  off.store(key, "a");
  EXPECT_FALSE(off.find(key).has_value());
}

TEST_F(Cache, OutgrownItForgetsWhatWasUsedLongestAgo) {
  const KernelCache cache(folder_.path() / "small", 4000);
  const std::string bytes(1000, 'x');
  std::vector<CacheKey> keys;
  for (int i = 0; i < 3; ++i) {
    keys.push_back({"id", "text" + std::to_string(i)});
    cache.store(keys.back(), bytes);
    const auto age = std::chrono::hours(10 - i);
    fs::last_write_time(cache.path(keys.back()), fs::file_time_type::clock::now() - age);
  }
  EXPECT_TRUE(cache.find(keys[0]).has_value());  // used now
  keys.push_back({"id", "text3"});
  cache.store(keys.back(), bytes);
  EXPECT_TRUE(cache.find(keys[0]).has_value());
  EXPECT_FALSE(cache.find(keys[1]).has_value());
  EXPECT_TRUE(cache.find(keys[3]).has_value());
}

// Looking at thousands of entries at every store would cost more than compiling.
TEST_F(Cache, LooksForOldEntriesOnceItStoredASixteenthOfItsLimit) {
  const KernelCache cache(folder_.path() / "kernels", 32'000);
  const fs::path others = cache.folder() / "others.kernel";
  cache.store(key, "first");
  write(others, std::string(40'000, '0'));
  cache.store(key, std::string(1'000, '1'));
  EXPECT_TRUE(fs::exists(others));
  cache.store(key, std::string(1'000, '2'));
  EXPECT_FALSE(fs::exists(others));
  EXPECT_TRUE(cache.find(key).has_value());
}

TEST(CacheFolder, FollowsTheEnvironment) {
  const test::ScopedEnv home("HOME", "/tmp/home");
  const test::ScopedEnv no_xdg("XDG_CACHE_HOME", nullptr);
  const test::ScopedEnv no_folder("THALLO_CACHE_DIR", nullptr);
  EXPECT_EQ(KernelCache::open().folder(), "/tmp/home/.cache/thallo");
  const test::ScopedEnv xdg("XDG_CACHE_HOME", "/tmp/xdg");
  EXPECT_EQ(KernelCache::open().folder(), "/tmp/xdg/thallo");
  const test::ScopedEnv folder("THALLO_CACHE_DIR", "/tmp/somewhere");
  EXPECT_EQ(KernelCache::open().folder(), "/tmp/somewhere");
  const test::ScopedEnv off("THALLO_CACHE_DIR", "");
  EXPECT_TRUE(KernelCache::open().folder().empty());
}

}  // namespace
}  // namespace thallo
