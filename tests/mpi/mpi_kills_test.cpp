// Explorations by mpirun of which something is killed at any moment, and which go on later.
#include <gmock/gmock.h>
#include <signal.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "core/base/random.h"
#include "core/explore/store/store.h"
#include "tests/cli/thallo_process.h"
#include "tests/mpi/mpi_job.h"
#include "tests/support/processes.h"
#include "tests/support/temp_dir.h"

namespace thallo::test {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;
using Words = std::vector<std::string>;

class MpiKills : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = why_no_job(); !why.empty()) GTEST_SKIP() << why;
  }
  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }

  Words job(const Words& what, const std::string& store) const {
    Words words = what;
    words.insert(words.end(), {"--best", "1", "--json", "--store", path(store)});
    return job_command(3, words);
  }
  static nlohmann::json explored(const Words& command) {
    const ProcessResult result = run_process(command, {"THALLO_LOG=warn"});
    EXPECT_EQ(result.exit_code, Ok) << result.err;
    return json_of(result);
  }
  static std::map<std::string, std::string> statuses(const nlohmann::json& exploration) {
    std::map<std::string, std::string> all;
    for (const auto& its : exploration["candidates"]) all[its["hash"]] = its["status"];
    return all;
  }
  std::set<std::string> timed_steps(const std::string& store) const {
    std::set<std::string> keys;
    if (!std::filesystem::exists(path(store))) return keys;
    const auto opened = MeasurementStore::open(path(store), MeasurementStore::Access::Read);
    if (!opened) return keys;  // killed while it was made
    const auto samples = opened->list<StepSamples>();
    for (const StepSamples& its : *samples) keys.insert(its.slot.key);
    return keys;
  }

  // Kills a worker, a rank or the whole job at so many moments, and compares what comes out in the
  // end with an undisturbed exploration.
  void kill_at_moments(const Words& what, int num_moments, std::uint64_t seed) const {
    const auto begin = Clock::now();
    const auto undisturbed = explored(job(what, "quiet"));
    const auto time = std::chrono::duration_cast<milliseconds>(Clock::now() - begin);
    Random random(seed);
    for (int moment = 0; moment < num_moments; ++moment) {
      SCOPED_TRACE(testing::Message() << "moment " << moment << ", seed " << seed);
      if (moment % 4 == 0) std::filesystem::remove(path("killed"));
      const std::set<std::string> before = timed_steps("killed");
      RunningJob running(job(what, "killed"));
      std::this_thread::sleep_for(
          milliseconds(random.below(static_cast<std::uint64_t>(time.count()))));
      const std::vector<int> processes = running.processes();
      if (moment % 2 == 0) {
        for (const int process : processes) kill(process, SIGKILL);
      } else {
        kill(processes[random.below(processes.size())], SIGKILL);
      }
      running.wait();
      const auto deadline = Clock::now() + std::chrono::seconds(10);
      for (const int process : processes) {
        while (is_running(process) && Clock::now() < deadline)
          std::this_thread::sleep_for(milliseconds(20));
        EXPECT_FALSE(is_running(process)) << "a process outlives its job";
      }
      const std::set<std::string> after = timed_steps("killed");
      EXPECT_TRUE(std::ranges::includes(after, before)) << "something was lost";
    }
    const std::set<std::string> before = timed_steps("killed");
    const auto resumed = explored(job(what, "killed"));
    EXPECT_EQ(statuses(resumed), statuses(undisturbed));
    EXPECT_EQ(resumed["marks"], undisturbed["marks"]);
    const std::set<std::string> after = timed_steps("killed");
    EXPECT_EQ(after, timed_steps("quiet"));
    EXPECT_EQ(resumed["measured"], after.size() - before.size()) << "something was measured twice";
  }

  TempDir folder_;
};

#ifdef THALLO_SLOW_TESTS
TEST_F(MpiKills, EndWithTheSameTableAtTwentyMomentsOfCurveFit) {
  kill_at_moments({"curve_fit"}, 20, 3);
}
TEST_F(MpiKills, EndWithTheSameTableAtTwentyMomentsOfBundleFusion) {
  kill_at_moments({"bundle_fusion", "--no-dense", "--space", "published", "--set", "nIterations=2"},
                  20, 4);
}
#else
// Once all processes are killed, and once some one.
TEST_F(MpiKills, EndWithTheSameTable) { kill_at_moments({"curve_fit"}, 2, 1); }
#endif

}  // namespace
}  // namespace thallo::test
