// Explorations that are killed at any moment and go on later, and several at the same time.
#include <gmock/gmock.h>
#include <signal.h>

#include <chrono>
#include <fstream>
#include <thread>

#include "core/base/random.h"
#include "tests/explore/child_process.h"
#include "tests/explore/explorations.h"
#include "tests/support/processes.h"
#include "tests/support/temp_dir.h"

namespace thallo {
namespace {

using namespace test;  // NOLINT: explorations of these tests
using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

std::vector<std::string> hashes_of(const std::vector<Proposal>& proposals) {
  std::vector<std::string> hashes;
  for (const Proposal& proposal : proposals) hashes.push_back(proposal.hash);
  return hashes;
}

class MeasurerKills : public testing::Test {
 protected:
  std::filesystem::path store() const { return folder_.path() / "killed.store"; }

  // Explores everything, composed and end to end. Returns how many steps were measured.
  std::int64_t explore(const std::filesystem::path& store,
                       std::map<std::string, std::string>* table = nullptr) const {
    const auto measurer = exploration_.open(exploration_.options(store, ResultKind::Composed));
    const std::vector<Proposal> all = exploration_.all();
    if (!measurer->explore(all) || !measurer->solve(hashes_of(all))) return -1;
    if (table != nullptr) *table = table_of(*measurer);
    return measurer->num_measured();
  }

  // The same in a process of its own, which writes the number to a file.
  pid_t start(const std::string& name) const {
    return test::start([&] {
      const std::int64_t measured = explore(store());
      std::ofstream(folder_.path() / name) << measured;
      return measured < 0 ? 1 : 0;
    });
  }
  std::int64_t measured_by(const std::string& name) const {
    std::int64_t measured = -1;
    std::ifstream(folder_.path() / name) >> measured;
    return measured;
  }

  // Kills an exploration, or one of its workers, at so many moments of the time that it takes, and
  // compares what comes out in the end with an undisturbed one.
  void kill_at_moments(int num_moments, std::uint64_t seed) const {
    std::map<std::string, std::string> undisturbed;
    const auto begin = Clock::now();
    const std::filesystem::path quiet = folder_.path() / "quiet.store";
    ASSERT_GT(explore(quiet, &undisturbed), 0);
    const auto time = std::chrono::duration_cast<milliseconds>(Clock::now() - begin);

    Random random(seed);
    for (int moment = 0; moment < num_moments; ++moment) {
      SCOPED_TRACE(testing::Message() << "moment " << moment << ", seed " << seed);
      if (moment % 5 == 0) std::filesystem::remove(store());
      const std::set<std::string> before = timed_steps(store());
      const pid_t measurer = start("killed");
      std::this_thread::sleep_for(
          milliseconds(random.below(static_cast<std::uint64_t>(time.count()))));
      const std::vector<int> workers = children_of(measurer);
      const bool kills_worker = moment % 2 == 1 && !workers.empty();
      kill(kills_worker ? workers[random.below(workers.size())] : measurer, SIGKILL);
      const int exit_code = test::wait_for(measurer);
      // It goes on with another worker.
      if (kills_worker) {
        EXPECT_EQ(exit_code, 0);
      }
      const auto deadline = Clock::now() + std::chrono::seconds(5);
      for (const int worker : workers) {
        while (is_running(worker) && Clock::now() < deadline)
          std::this_thread::sleep_for(milliseconds(20));
        EXPECT_FALSE(is_running(worker)) << "a worker outlives its exploration";
      }
      const std::set<std::string> after = timed_steps(store());
      EXPECT_TRUE(std::ranges::includes(after, before)) << "something was lost";
    }
    const std::set<std::string> before = timed_steps(store());
    std::map<std::string, std::string> resumed;
    const std::int64_t measured = explore(store(), &resumed);
    EXPECT_EQ(resumed, undisturbed);
    const std::set<std::string> after = timed_steps(store());
    EXPECT_EQ(after, timed_steps(quiet));
    EXPECT_EQ(measured, static_cast<std::int64_t>(after.size() - before.size()))
        << "something was measured twice";
  }

  TempDir folder_;
  CurveFitExploration exploration_;
};

TEST_F(MeasurerKills, LeaveWhatIsFinishedAndNothingElse) { kill_at_moments(3, 1); }

#ifdef THALLO_SLOW_TESTS
TEST_F(MeasurerKills, LeaveWhatIsFinishedAtAHundredMoments) { kill_at_moments(100, 2); }
#endif

TEST_F(MeasurerKills, AreNotNeededForTwoToShareTheWork) {
  const pid_t one = start("one");
  const pid_t two = start("two");
  EXPECT_EQ(test::wait_for(one), 0);
  EXPECT_EQ(test::wait_for(two), 0);
  const auto num_steps = static_cast<std::int64_t>(timed_steps(store()).size());
  EXPECT_GT(num_steps, 0);
  EXPECT_EQ(measured_by("one") + measured_by("two"), num_steps) << "work was repeated or lost";
  std::map<std::string, std::string> table;
  EXPECT_EQ(explore(store(), &table), 0);
  EXPECT_THAT(table, testing::Each(testing::Pair(testing::_, "ok, ok")));
}

}  // namespace
}  // namespace thallo
