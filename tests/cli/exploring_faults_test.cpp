// thallo explore with stores that it cannot use: what is said, and what is kept.
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <signal.h>

#include <chrono>
#include <filesystem>
#include <future>
#include <string>
#include <thread>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/base/io/file.h"
#include "core/explore/store/sqlite/database.h"
#include "core/explore/store/store.h"
#include "tests/cli/thallo_process.h"
#include "tests/explore/store_records.h"
#include "tests/support/processes.h"
#include "tests/support/temp_dir.h"

namespace thallo::test {
namespace {

using testing::HasSubstr;

class CliExploringFaults : public testing::Test {
 protected:
  std::string store() const { return (folder_.path() / "fit.store").string(); }
  std::vector<std::string> arguments() const { return arguments_with(store()); }
  static std::vector<std::string> arguments_with(const std::string& store) {
    return {"explore", "curve_fit", "--double", "--backend", "interpreter",
            "--best",  "0",         "--store",  store};
  }
  // The message names the store.
  void expect_fault(const ProcessResult& result, const std::string& message) const {
    EXPECT_EQ(result.exit_code, User) << result.err;
    EXPECT_THAT(result.err, HasSubstr(store()));
    EXPECT_THAT(result.err, HasSubstr(message));
    EXPECT_EQ(result.out, "");
  }

  // Explores where `mount`, a command of the shell, has made the folder of the store another one.
  // Only root can have that.
  ProcessResult explore_in(const std::string& mount) const {
    std::vector<std::string> all = {"unshare", "-m", "sh", "-c", mount + " && exec \"$@\"", "sh"};
    all.insert(all.end(), {THALLO_PROGRAM, "--plugin-path", THALLO_TINY_FOLDER});
    const std::vector<std::string> its = arguments();
    all.insert(all.end(), its.begin(), its.end());
    all.front() = "/usr/bin/unshare";
    return run_process(all, {"THALLO_LOG=warn"});
  }
  static bool can_mount() {
    return getuid() == 0 && std::filesystem::exists("/usr/bin/unshare") &&
           run_process({"/usr/bin/unshare", "-m", "mount", "-t", "tmpfs", "none", "/mnt"})
                   .exit_code == 0;
  }

  TempDir folder_;
};

// A script must not take its table for complete.
TEST_F(CliExploringFaults, OneThatIsInterruptedSaysSo) {
  auto run = std::async(std::launch::async, [&] {
    std::vector<std::string> all = arguments();
    all.insert(all.end(), {"--sample", "100000", "--json"});
    return thallo(all);
  });
  const auto has_results = [&] {
    const auto opened = MeasurementStore::open(store(), MeasurementStore::Access::Read);
    const auto results = opened ? opened->list<ScheduleResult>() : fail(opened.error());
    return results && !results->empty();
  };
  while (!has_results()) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  const std::vector<int> children = children_of(getpid());
  ASSERT_EQ(children.size(), 1u);
  kill(children.front(), SIGINT);
  const auto result = run.get();
  EXPECT_EQ(result.exit_code, GoalMissed) << result.err;
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_EQ(json["search"]["ending"], "cancelled");
  EXPECT_FALSE(json["candidates"].empty());
}

TEST_F(CliExploringFaults, WhatIsNoStoreIsRefused) {
  make_store(store(), 1);
  {
    auto database = Database::open(store(), Database::Access::Write);
    ASSERT_TRUE(database && database->run("PRAGMA user_version = 1000"));
  }
  expect_fault(thallo(arguments()),
               "the store is of version 1000, written by a later Thallo; this one knows versions "
               "up to ");
  std::filesystem::remove(store());
  { MeasurementStore made = make_store(store(), 2'000); }
  std::string content = *read_file(store());
  ASSERT_GT(content.size(), 40u * 4096);
  content.replace(4096, content.size() - 4096, content.size() - 4096, '\x5a');
  ASSERT_TRUE(write_file(store(), content));
  expect_fault(thallo(arguments()), "the file is damaged");
  std::filesystem::remove(store());
  std::filesystem::create_directory(store());
  expect_fault(thallo(arguments()), "this is a folder, not a store");
  std::filesystem::remove(store());
  const std::string elsewhere = (folder_.path() / "nowhere" / "fit.store").string();
  ProcessResult result = thallo(arguments_with(elsewhere));
  EXPECT_EQ(result.exit_code, User);
  EXPECT_THAT(result.err, HasSubstr(elsewhere));
  ASSERT_EQ(mkfifo(store().c_str(), 0600), 0);
  expect_fault(thallo(arguments()), "this is a pipe, not a store");
  EXPECT_THAT(thallo(arguments_with("/dev/zero")).err,
              HasSubstr("/dev/zero: this is a device, not a store"));
  result = thallo(arguments_with(folder_.path().string() + std::string(300, '/') + "fit.store" +
                                 std::string(200, 'x')));
  EXPECT_EQ(result.exit_code, User);
  EXPECT_THAT(result.err, HasSubstr(" bytes, that of a store may have 500"));
}

// Workers are asked in JSON, which is UTF-8. Finds what only a whole exploration reads and writes.
TEST_F(CliExploringFaults, PathsMayBeNoUtf8) {
  const std::filesystem::path folder = folder_.path() / "n\xff";
  std::filesystem::create_directory(folder);
  ASSERT_TRUE(write_file(folder / "l\xffne.lua",
                         "local N = Dims('N')\nInputs { X = Unknown(float, {N}) }\n"
                         "Residuals { r = X(N()) - 1, s = exp(X(N())) }\n"));
  ASSERT_TRUE(write_file(folder / "\xe4.csv", "x\n1\n2\n3\n"));
  std::vector<std::string> all = arguments_with(folder / "\xe4.store");
  all[1] = folder / "l\xffne.lua";
  const std::string bound = "X=" + (folder / "\xe4.csv").string();
  all.insert(all.end(), {"--bind", bound, "--sample", "2", "--json"});
  EXPECT_TRUE(json_of(succeeded(thallo(all)))["candidates"][0]["seconds"].is_number());
  const ProcessResult report =
      succeeded(thallo({"report", all[1], "--double", "--bind", bound, "--store",
                        folder / "\xe4.store", "--out", folder / "out"}));
  EXPECT_TRUE(std::filesystem::exists(folder / "out" / "report.md"));
}

TEST_F(CliExploringFaults, AFileThatMayNotGrowIsAFault) {
  std::vector<std::string> all = {"/bin/sh", "-c", "ulimit -f 64; exec \"$@\"", "sh",
                                  THALLO_PROGRAM};
  const std::vector<std::string> its = arguments();
  all.insert(all.end(), its.begin(), its.end());
  EXPECT_THAT(refused(run_process(all, {"THALLO_LOG=warn"})).err,
              HasSubstr("a limit on the size of files"));
}

TEST_F(CliExploringFaults, AStoreThatCannotBeWrittenIsRefused) {
  if (!can_mount()) GTEST_SKIP() << "a folder that cannot be written needs a mount, and root";
  make_store(store(), 1);
  const std::string folder = folder_.path().string();
  expect_fault(explore_in("mount --bind " + folder + " " + folder +
                          " && mount -o remount,bind,ro " + folder),
               "cannot be ");
  EXPECT_TRUE(open_store(store(), MeasurementStore::Access::Read).check());
}

// A library that is loaded first stands for such a file system.
TEST_F(CliExploringFaults, AFileSystemWithoutLocksIsRefused) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the sanitizer must be loaded first";
#endif
  for (const char* error : {"ENOLCK", "ENOSYS"}) {
    expect_fault(thallo(arguments(), {"LD_PRELOAD=" THALLO_NO_LOCKS_LIBRARY,
                                      std::string("THALLO_LOCKS_FAIL=") + error}),
                 "the file system has no locks, which keep processes from writing at the same "
                 "time: keep the store on another one, such as a local disk");
    EXPECT_FALSE(std::filesystem::exists(store()));
  }
}

TEST_F(CliExploringFaults, AFullDiskEndsTheExploration) {
  if (!can_mount()) GTEST_SKIP() << "a small disk needs a mount, and root";
  expect_fault(explore_in("mount -t tmpfs -o size=200k none " + folder_.path().string()),
               "the disk is full");
}

}  // namespace
}  // namespace thallo::test
