// Several processes use one store at the same time, and are killed in the middle.
#include <gmock/gmock.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/wait.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "core/explore/store/store.h"
#include "tests/explore/child_process.h"
#include "tests/explore/store_records.h"
#include "tests/support/temp_dir.h"

namespace thallo {
namespace {

using test::start, test::wait_for;
using testing::SizeIs;
using namespace test;  // NOLINT: the records of these tests

using Access = MeasurementStore::Access;

// Both results of a step, in one transaction.
std::vector<StoreRecord> pair_of(int step) {
  return {samples_of(step, CacheState::Hot, {1e-3}), samples_of(step, CacheState::Evicted, {2e-3})};
}

class StoreProcesses : public testing::Test {
 protected:
  TempDir folder_;
  std::filesystem::path path_ = folder_.path() / "warp.store";
};

// Each makes the store if the other has not, and adds results for the same steps.
TEST_F(StoreProcesses, WriteAtTheSameTimeAndNothingTwice) {
  constexpr int NumSteps = 150;
  const auto write = [&](const std::string& name) {
    return [&, name] {
      MeasurementStore store = make_store(path_, NumSteps);
      std::int64_t added = 0;
      for (int i = 0; i < NumSteps; ++i) {
        const auto changes = store.add(pair_of(i), Existing::Keep);
        if (!changes) return 1;
        added += changes->added;
      }
      std::ofstream(folder_.path() / name) << added;
      return 0;
    };
  };
  const pid_t one = start(write("one"));
  const pid_t two = start(write("two"));
  ASSERT_EQ(wait_for(one), 0);
  ASSERT_EQ(wait_for(two), 0);
  int added_by_one = 0;
  int added_by_two = 0;
  std::ifstream(folder_.path() / "one") >> added_by_one;
  std::ifstream(folder_.path() / "two") >> added_by_two;
  EXPECT_EQ(added_by_one + added_by_two, 2 * NumSteps);
  const MeasurementStore store = open_store(path_, Access::Read);
  EXPECT_THAT(*store.list<StepSamples>(), SizeIs(2 * NumSteps));
  EXPECT_THAT(*store.list<StepRecord>(), SizeIs(NumSteps));
  EXPECT_TRUE(store.check());
}

// The writer says after each of its transactions that it is committed. Killed anywhere, it loses
// none of these, and leaves no half of another.
TEST_F(StoreProcesses, LoseNothingThatIsCommittedWhenTheyAreKilled) {
  constexpr int NumSteps = 1000;
  make_store(path_, NumSteps);
  for (const int kill_after : {3, 40, 120}) {
    int pipe_ends[2];
    ASSERT_EQ(pipe(pipe_ends), 0);
    const auto before = open_store(path_, Access::Read).list<StepSamples>()->size() / 2;
    const pid_t writer = start([&] {
      MeasurementStore store = open_store(path_);
      for (int i = 0; i < NumSteps; ++i) {
        const auto changes = store.add(pair_of(i), Existing::Keep);
        if (!changes || (changes->added > 0 && ::write(pipe_ends[1], ".", 1) != 1)) return 1;
      }
      return 0;
    });
    close(pipe_ends[1]);
    std::size_t committed = 0;
    char dot = 0;
    while (read(pipe_ends[0], &dot, 1) == 1) {
      if (++committed == static_cast<std::size_t>(kill_after)) kill(writer, SIGKILL);
    }
    close(pipe_ends[0]);
    EXPECT_EQ(wait_for(writer), -1) << "was killed before its end";

    const MeasurementStore store = open_store(path_);
    EXPECT_TRUE(store.check());
    const auto samples = store.list<StepSamples>();
    ASSERT_TRUE(samples) << samples.error().message();
    EXPECT_GE(samples->size(), 2 * (before + committed));
    EXPECT_LE(samples->size(), 2 * (before + committed + 1)) << "one may be committed and not said";
    std::set<std::string> keys;
    for (const StepSamples& found : *samples) keys.insert(found.slot.key);
    EXPECT_EQ(2 * keys.size(), samples->size()) << "both results of a step or none";
  }
}

// In each transaction the writer adds two results. A reader sees both or none, and never fewer
// than before.
TEST_F(StoreProcesses, ReadConsistentResultsWhileAnotherWrites) {
  constexpr std::size_t NumSteps = 600;
  make_store(path_, NumSteps);
  const pid_t writer = start([&] {
    MeasurementStore store = open_store(path_);
    for (int i = 0; i < static_cast<int>(NumSteps); ++i) {
      if (!store.add(pair_of(i), Existing::Keep)) return 1;
    }
    return 0;
  });
  const MeasurementStore reader = open_store(path_, Access::Read);
  std::set<std::size_t> seen;
  std::size_t last = 0;
  while (last < 2 * NumSteps) {
    const auto samples = reader.list<StepSamples>();
    ASSERT_TRUE(samples) << samples.error().message();
    ASSERT_EQ(samples->size() % 2, 0u);
    ASSERT_GE(samples->size(), last);
    last = samples->size();
    seen.insert(last);
    if (seen.size() == 1 && waitpid(writer, nullptr, WNOHANG) != 0) break;
  }
  EXPECT_EQ(last, 2 * NumSteps);
  EXPECT_GT(seen.size(), 2u) << "the reader was not there during the writes";
  wait_for(writer);
}

// A disk of half a MiB, which only this process sees.
TEST_F(StoreProcesses, SayThatTheDiskIsFullAndKeepWhatTheyHave) {
  constexpr int CannotMount = 77;
  const auto disk = folder_.path() / "disk";
  std::filesystem::create_directory(disk);
  const int outcome = wait_for(start([&] {
    const bool is_mounted = unshare(CLONE_NEWNS) == 0 &&
                            mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
                            mount("tmpfs", disk.c_str(), "tmpfs", 0, "size=512k") == 0;
    if (!is_mounted) return CannotMount;
    MeasurementStore store = make_store(disk / "warp.store", 500);
    std::size_t committed = 0;
    std::string fault;
    for (int i = 0; i < 500 && fault.empty(); ++i) {
      const auto added = store.add(samples_of(i, CacheState::Hot, std::vector<double>(500, 1e-3)));
      if (added) {
        ++committed;
      } else {
        fault = added.error().message();
      }
    }
    if (fault.find("the disk is full; what was being recorded is lost") == std::string::npos)
      return 1;
    const auto samples = store.list<StepSamples>();
    if (!samples || samples->size() != committed || committed == 0) return 2;
    return store.check() ? 0 : 3;
  }));
  if (outcome == CannotMount) GTEST_SKIP() << "this user may not mount a disk of limited size";
  EXPECT_EQ(outcome, 0);
}

}  // namespace
}  // namespace thallo
