// thallo explore --shard: what each shard measures, and what their merged stores say.
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <map>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "core/explore/store/store.h"
#include "tests/cli/thallo_process.h"
#include "tests/explore/store_records.h"
#include "tests/support/temp_dir.h"

namespace thallo::test {
namespace {

using testing::HasSubstr;
using Words = std::vector<std::string>;

Words operator+(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

class CliSharding : public testing::Test {
 protected:
  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }
  // Explores by the interpreter, without whole solves, into a store.
  ProcessResult explore(const Words& words, const std::string& store,
                        const Words& environment = {}) const {
    return thallo(
        Words{"explore"} + words +
            Words{"--backend", "interpreter", "--best", "0", "--store", path(store), "--json"},
        environment);
  }
  nlohmann::json explored(const Words& words, const std::string& store,
                          const Words& environment = {}) const {
    return json_of(succeeded(explore(words, store, environment)));
  }
  void expect_fault(const Words& words, const std::string& message,
                    const Words& environment = {}) const {
    EXPECT_THAT(
        json_of(refused(explore(words, "fault.store", environment)))["error"].get<std::string>(),
        HasSubstr(message));
  }
  // The hashes of candidates, without the named schedules.
  static std::set<std::string> proposed(const nlohmann::json& exploration) {
    std::set<std::string> hashes;
    for (const auto& candidate : exploration["candidates"]) hashes.insert(candidate["hash"]);
    for (const auto& hash : exploration["marks"]) hashes.erase(hash);
    return hashes;
  }
  // Expects that the shards have all that one run has, each schedule once. They find its times in
  // the store.
  void expect_divided(const Words& words, int num_shards) const {
    std::set<std::string> all;
    std::size_t num_all = 0;
    const auto one = explored(words, "one.store");
    for (int i = 0; i < num_shards; ++i) {
      const std::string shard = std::to_string(i) + "/" + std::to_string(num_shards);
      const auto part = explored(words + Words{"--shard", shard}, "one.store");
      EXPECT_EQ(part["marks"], one["marks"]);
      const std::set<std::string> its = proposed(part);
      EXPECT_LT(its.size(), proposed(one).size());
      num_all += its.size();
      all.insert(its.begin(), its.end());
    }
    EXPECT_EQ(all, proposed(one));
    EXPECT_EQ(num_all, all.size());
  }

  TempDir folder_;
};

TEST_F(CliSharding, DividesExhaustiveAndRandomSearches) {
  expect_divided({"curve_fit", "--double"}, 3);
  expect_divided({"curve_fit", "--double", "--index", "2:12"}, 2);
  expect_divided({"tiny", "--sample", "12", "--memory-limit", "30B"}, 2);
}

// What was timed in one run: the steps, and the whole solves with their schedules.
std::vector<StoreRecord> times_in(const std::string& path) {
  const MeasurementStore store = open_store(path, MeasurementStore::Access::Read);
  const std::vector<StoreRecord> records = store.records().value();
  std::set<std::string> solved;
  for (const StoreRecord& record : records) {
    const auto* result = std::get_if<ScheduleResult>(&record);
    if (result != nullptr && result->slot.kind == ResultKind::EndToEnd)
      solved.insert(result->slot.schedule);
  }
  std::vector<StoreRecord> times;
  for (const StoreRecord& record : records) {
    const auto* schedule = std::get_if<ScheduleRecord>(&record);
    const auto* result = std::get_if<ScheduleResult>(&record);
    if (schedule != nullptr && !solved.contains(schedule->hash)) continue;
    if (result != nullptr && result->slot.kind == ResultKind::Composed) continue;
    if (std::holds_alternative<SearchRunRecord>(record)) continue;
    times.push_back(record);
  }
  return times;
}

// The shards get the times of one run, so that all numbers of the reports must be equal.
TEST_F(CliSharding, ReportsFromMergedStoresWhatOneRunReports) {
  const Words words = {"curve_fit", "--double"};
  const auto one = explored(words, "one.store");
  ASSERT_GT(one["measured"], 0);
  const std::vector<StoreRecord> times = times_in(path("one.store"));
  Words merge = {"store", "merge", path("all.store")};
  for (const std::string shard : {"0", "1", "2"}) {
    ASSERT_TRUE(open_store(path(shard)).add(times, Existing::Keep));
    const auto part = explored(words + Words{"--shard", shard + "/3"}, shard);
    EXPECT_EQ(part["measured"], 0);
    merge.push_back(path(shard));
  }
  ASSERT_EQ(thallo(merge).exit_code, Ok);
  const auto report = [&](const std::string& name) {
    return json_of(
        succeeded(thallo(Words{"report"} + words + Words{"--store", path(name), "--json"})));
  };
  const auto whole = report("one.store");
  EXPECT_EQ(report("all.store"), whole);
  EXPECT_NE(report("0"), whole);
}

// Without anything in common, the merged stores have the steps and schedules of one run.
TEST_F(CliSharding, MergesToTheStepsAndSchedulesOfOneRun) {
  const Words words = {"curve_fit", "--double"};
  explored(words, "one.store");
  for (const std::string shard : {"0", "1"})
    explored(words + Words{"--shard", shard + "/2"}, shard);
  ASSERT_EQ(thallo({"store", "merge", path("0"), path("1")}).exit_code, Ok);
  const auto slots = [&](const std::string& name) {
    std::map<std::string, std::set<std::string>> found;
    const MeasurementStore store = open_store(path(name), MeasurementStore::Access::Read);
    const auto steps = store.list<StepSamples>();
    for (const StepSamples& its : *steps)
      found["steps"].insert(its.slot.key + std::string(to_string(its.slot.cache)));
    const auto results = store.list<ScheduleResult>();
    for (const ScheduleResult& its : *results)
      found["schedules"].insert(its.slot.schedule + std::string(to_string(its.slot.kind)));
    return found;
  };
  EXPECT_EQ(slots("0"), slots("one.store"));
}

TEST_F(CliSharding, IsTheTaskOfAJobArray) {
  const Words words = {"curve_fit", "--double"};
  const auto of_array = [&](const Words& shard, const Words& environment) {
    return proposed(explored(words + Words{"--shard"} + shard, "array.store", environment));
  };
  EXPECT_EQ(of_array({"slurm"}, {"SLURM_ARRAY_TASK_ID=1", "SLURM_ARRAY_TASK_COUNT=3"}),
            of_array({"1/3"}, {}));
  EXPECT_EQ(of_array({"slurm"}, {"SLURM_ARRAY_TASK_ID=14", "SLURM_ARRAY_TASK_COUNT=3",
                                 "SLURM_ARRAY_TASK_MIN=10", "SLURM_ARRAY_TASK_STEP=2"}),
            of_array({"2/3"}, {}));
  expect_fault(
      words + Words{"--shard", "slurm"},
      "--shard slurm: SLURM_ARRAY_TASK_ID is not set: this is no task of a SLURM job array");
  expect_fault(words + Words{"--shard", "slurm"},
               "--shard slurm: task 17 of a job array of 3 tasks from 1 in steps of 1 is no shard",
               {"SLURM_ARRAY_TASK_ID=17", "SLURM_ARRAY_TASK_COUNT=3", "SLURM_ARRAY_TASK_MIN=1"});
  expect_fault(words + Words{"--shard", "slurm"}, "SLURM_ARRAY_TASK_COUNT=many is no number",
               {"SLURM_ARRAY_TASK_ID=1", "SLURM_ARRAY_TASK_COUNT=many"});
}

TEST_F(CliSharding, RefusesWhatIsNoShard) {
  const Words words = {"curve_fit", "--shard"};
  expect_fault(words + Words{"3/2"},
               "--shard 3/2: of 2 shards, the last is 1/2: they are counted from 0");
  expect_fault(words + Words{"2/2"}, "--shard 2/2: of 2 shards, the last is 1/2");
  expect_fault(words + Words{"1/0"}, "--shard 1/0: there are no shards of none");
  for (const std::string wrong :
       {"x/2", "1/x", "1", "/", "1/2/3", " 1/2", "99999999999999999999/2"})
    expect_fault(words + Words{wrong}, "--shard " + wrong + " is none: write I/N");
  for (const std::string negative : {"-1/2", "1/-2"})
    expect_fault({"curve_fit", "--shard=" + negative}, "--shard " + negative + " is none");
  expect_fault(
      {"curve_fit", "--shard", "0/2", "--search", "greedy"},
      "--shard has no effect with --search greedy, whose proposals depend on times: choose "
      "exhaustive or random");
  for (const Words& nothing :
       {Words{"--count"}, {"--list", "--sample", "2"}, {"--measure", "none"}}) {
    EXPECT_THAT(thallo(Words{"explore", "curve_fit", "--shard", "0/2"} + nothing).err,
                HasSubstr(", which measures nothing"));
  }
}

}  // namespace
}  // namespace thallo::test
