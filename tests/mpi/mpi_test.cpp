// thallo explore by mpirun: the same as without, in several processes.
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/explore/store/store.h"
#include "tests/cli/thallo_process.h"
#include "tests/mpi/mpi_job.h"
#include "tests/support/temp_dir.h"

namespace thallo::test {
namespace {

using testing::HasSubstr;
using Words = std::vector<std::string>;

class Mpi : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = why_no_job(); !why.empty()) GTEST_SKIP() << why;
  }
  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }
  nlohmann::json explored(const Words& command) const {
    // Without /sys the library of MPI that looks for processors complains.
    const ProcessResult result = run_process(command, {"THALLO_LOG=warn", "HWLOC_HIDE_ERRORS=2"});
    EXPECT_EQ(result.exit_code, Ok) << result.err;
    EXPECT_EQ(result.err, "");
    return json_of(result);
  }
  // All that does not depend on how long something took.
  static std::map<std::string, nlohmann::json> table_of(const nlohmann::json& exploration) {
    std::map<std::string, nlohmann::json> table = {{"marks", exploration["marks"]},
                                                   {"steps", exploration["steps"]}};
    for (const auto& its : exploration["candidates"]) {
      table[its["hash"]] = {its["index"], its["program"], its["status"], its["predicted"],
                            its["composed"].is_null()};
    }
    return table;
  }

  void expect_that_processes_measure_what_one_measures(const Words& what) const {
    const auto with = [&](const std::string& store) {
      Words words = what;
      words.insert(words.end(), {"--json", "--best", "1", "--store", path(what[0] + store)});
      return words;
    };
    const auto one = explored(exploring(with("one")));
    const auto three = explored(job_command(3, with("three")));
    EXPECT_EQ(table_of(three), table_of(one));
    // Each time of a step that a worker sends is counted, so none was measured twice.
    EXPECT_EQ(three["measured"], three["steps"]);
    const auto store =
        MeasurementStore::open(path(what[0] + "three"), MeasurementStore::Access::Read);
    std::set<std::string> keys;
    const auto samples = store->list<StepSamples>();
    for (const StepSamples& its : *samples) keys.insert(its.slot.key);
    EXPECT_EQ(three["measured"], keys.size());
    EXPECT_TRUE(store->leases()->empty());
    EXPECT_EQ(explored(job_command(3, with("three")))["measured"], 0)
        << "it goes on from its store";
  }

  TempDir folder_;
};

#ifdef THALLO_SLOW_TESTS
TEST_F(Mpi, MeasuresBundleFusionInOtherProcessesAsInOne) {
  expect_that_processes_measure_what_one_measures({"bundle_fusion", "--no-dense", "--space",
                                                   "published", "--sample", "6", "--set",
                                                   "nIterations=2"});
}
#else
// Finds ranks that measure other steps than one process does.
TEST_F(Mpi, MeasuresInOtherProcessesWhatOneMeasures) {
  expect_that_processes_measure_what_one_measures({"curve_fit"});
  const auto alone = explored(job_command(1, {"curve_fit", "--json", "--store", path("alone")}));
  EXPECT_EQ(table_of(alone),
            table_of(explored(exploring({"curve_fit", "--json", "--store", path("none")}))));
}

TEST_F(Mpi, SaysFaultsAndCountsOnce) {
  const ProcessResult result = run_process(job_command(
      3, {"curve_fit", "--store", path("fault"), "--search", "greedy", "--shard", "0/2"}));
  EXPECT_EQ(result.exit_code, User);
  EXPECT_EQ(result.out, "");
  const std::string message = "thallo: --shard has no effect with --search greedy";
  const std::size_t first = result.err.find(message);
  ASSERT_NE(first, std::string::npos) << result.err;
  EXPECT_EQ(result.err.find(message, first + 1), std::string::npos) << result.err;
  const ProcessResult counted = run_process(job_command(3, {"curve_fit", "--count"}));
  EXPECT_EQ(counted.exit_code, Ok) << counted.err;
  const std::size_t one = counted.out.find("18 schedules");
  ASSERT_NE(one, std::string::npos);
  EXPECT_EQ(counted.out.find("18 schedules", one + 1), std::string::npos) << counted.out;
}

// What each process sees where mpirun is there and the plugin is not.
TEST(MpiWithoutThePlugin, IsRefusedByRank0) {
  const TempDir folder;
  const auto explore = [&](const std::string& rank) {
    return run_process(
        {THALLO_PROGRAM, "--plugin-path", THALLO_ABSENT_FOLDER, "explore", "curve_fit", "--store",
         (folder.path() / "fit.store").string()},
        {"OMPI_COMM_WORLD_SIZE=2", "OMPI_COMM_WORLD_RANK=" + rank, "THALLO_LOG=off"});
  };
  const ProcessResult first = explore("0");
  EXPECT_EQ(first.exit_code, User);
  EXPECT_THAT(first.err, HasSubstr("mpirun has started 2 processes, but the plugin 'mpi' is not "
                                   "there, which connects them: build Thallo where Open MPI is "
                                   "installed"));
  const ProcessResult second = explore("1");
  EXPECT_EQ(second.exit_code, User);
  EXPECT_EQ(second.out + second.err, "");
}
#endif

}  // namespace
}  // namespace thallo::test
