// thallo store: what it shows of measurement stores, and how results move between them.
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "core/base/io/file.h"
#include "core/explore/store/sqlite/database.h"
#include "core/explore/store/store_json.h"
#include "tests/cli/thallo_process.h"
#include "tests/explore/store_records.h"
#include "tests/support/temp_dir.h"

namespace thallo::test {
namespace {

using testing::ContainsRegex, testing::HasSubstr, testing::SizeIs, testing::StartsWith;

class CliStore : public testing::Test {
 protected:
  std::string path(const std::string& name) const { return folder_.path() / name; }
  // A store with all_records() and more.
  std::string make(const std::string& name, const std::vector<StoreRecord>& more = {}) const {
    MeasurementStore store = open_store(path(name));
    EXPECT_TRUE(store.add(all_records(), Existing::Keep));
    EXPECT_TRUE(store.add(more, Existing::Replace));
    return path(name);
  }
  static std::vector<StoreRecord> records_of(const std::string& file) {
    return open_store(file, MeasurementStore::Access::Read).records().value();
  }
  static void expect_fault(const std::vector<std::string>& arguments, const std::string& message) {
    std::vector<std::string> all = {"store"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    const ProcessResult result = refused(thallo(all));
    EXPECT_THAT(result.err, HasSubstr(message));
    EXPECT_EQ(result.out, "");
  }

  TempDir folder_;
};

const ProblemRecord Poisson = {"p2", "poisson", "size=9", "drawn"};

TEST_F(CliStore, CountsWhatIsInAStore) {
  const std::string file = make("warp.store", {Poisson});
  const ProcessResult text = succeeded(thallo({"store", "info", file}));
  EXPECT_THAT(text.out, StartsWith(file + ": "));
  EXPECT_THAT(text.out, HasSubstr(" KiB, problems: 2, devices: 1, kernels: 2\n"));
  EXPECT_THAT(
      text.out,
      ContainsRegex("image_warping +p0123456789ab +size=64 +2 +NVIDIA H200 +2 +1 +1 +2 +1\n"));
  EXPECT_THAT(text.out, ContainsRegex("poisson +p2 +size=9 +0 *\n"));
  EXPECT_THAT(text.out, ContainsRegex("NVRTC 12.8 sm_90 +2 +1.5 s +40 +1\n"));

  const ProcessResult checked = thallo({"store", "info", "--check", file});
  EXPECT_EQ(checked.out, text.out + "\n  every record has its checksum\n") << checked.err;

  const auto json = json_of(thallo({"store", "info", file, file, "--json"}));
  ASSERT_EQ(json.size(), 2u);
  EXPECT_EQ(json[0]["file"], file);
  EXPECT_EQ(json[0]["kernels"], 2);
  const nlohmann::json compiled = {{"compiler", "NVRTC 12.8 sm_90"},
                                   {"kernels", 2},
                                   {"spilling", 1},
                                   {"most_registers", 40},
                                   {"compile_seconds", 1.5}};
  EXPECT_EQ(json[0]["compiled"], nlohmann::json::array({compiled}));
  EXPECT_EQ(json[0]["devices"][0]["backend"], "cuda");
  const auto& problem = json[0]["problems"][0];
  EXPECT_EQ(problem["name"], "image_warping");
  EXPECT_EQ(problem["schedules"], 2);
  const nlohmann::json results = {{"device", SampleDevice.signature},
                                  {"steps", 2},
                                  {"composed", 1},
                                  {"end_to_end", 1},
                                  {"failed", 2},
                                  {"runs", 1}};
  EXPECT_EQ(problem["results"][0], results);
  EXPECT_TRUE(json[0]["leases"].empty());
}

TEST_F(CliStore, SaysWhatIsBeingMeasured) {
  const std::string file = make("warp.store");
  MeasurementStore store = open_store(file);
  const ResultSlot work = samples_of(1, CacheState::Evicted, {}).slot;
  ASSERT_TRUE(store.acquire({&work, 1}, std::chrono::hours(1)));
  const ProcessResult text = thallo({"store", "info", file});
  EXPECT_THAT(text.out,
              ContainsRegex(":[0-9]+:[0-9a-f]+:[0-9a-f]+ is measuring, results to come: 1, at most "
                            "for another 3[0-9]+ s\n"));
  const auto leases = json_of(thallo({"store", "info", file, "--json"}))[0]["leases"];
  ASSERT_EQ(leases.size(), 1u);
  EXPECT_EQ(leases[0]["work"], "step evicted " + key_of(1));
}

TEST_F(CliStore, MergesStores) {
  const std::string first = make("first.store", {samples_of(0, CacheState::Hot, {1, 2, 3, 4})});
  const std::string second = make("second.store", {samples_of(0, CacheState::Evicted, {1, 2, 3}),
                                                   samples_of(1, CacheState::Evicted, {1})});
  // Of seven in common one has more samples in each.
  EXPECT_EQ(succeeded(thallo({"store", "merge", first, second})).out,
            second +
                ": results added: 1, already there: 5, conflicts: 2\n"
                "  1 kept, with as many samples or more\n"
                "  1 replaced, by more samples\n");
  const MeasurementStore store = open_store(first, MeasurementStore::Access::Read);
  EXPECT_THAT(store.find(samples_of(0, CacheState::Hot, {}).slot).value()->seconds, SizeIs(4));
  EXPECT_THAT(store.find(samples_of(0, CacheState::Evicted, {}).slot).value()->seconds, SizeIs(3));
  EXPECT_THAT(store.find(samples_of(1, CacheState::Evicted, {}).slot).value()->seconds, SizeIs(1));
}

TEST_F(CliStore, MergesIntoAStoreThatIsNotThereYet) {
  const std::string first = make("first.store");
  const std::string fresh = path("fresh.store");
  const auto json = json_of(thallo({"store", "merge", fresh, first, first, "--json"}));
  EXPECT_EQ(json[0]["added"], 7);
  EXPECT_EQ(json[1]["same"], 7);
  EXPECT_EQ(records_of(fresh), records_of(first));
}

TEST_F(CliStore, ExportsAndMergesTheResultsOfAProblem) {
  const std::string file = make("warp.store", {Poisson});
  const std::string text = path("warp.jsonl.gz");
  succeeded(thallo({"store", "export", file, "--problem", "image_warping", "--out", text}));
  const ProcessResult printed =
      thallo({"store", "export", file, "--problem", SampleProblem.signature});
  EXPECT_EQ(printed.out, read_file(text).value());

  const std::string fresh = path("fresh.store");
  const ProcessResult merged =
      thallo({"store", "merge", fresh, file, "--problem", "image_warping"});
  EXPECT_EQ(merged.out, file + ": results added: 7, already there: 0, conflicts: 0\n")
      << merged.err;
  EXPECT_EQ(records_of(fresh), records_of(make("expected.store")));
}

TEST_F(CliStore, ExportsTheOnlyProblemWithoutItsNameAndWantsToKnowWhichOfSeveral) {
  const std::string file = make("warp.store");
  EXPECT_EQ(thallo({"store", "export", file}).out, to_json_lines(records_of(file)));
  ProblemRecord larger = SampleProblem;
  larger.signature = "p3";
  larger.options = "size=128";
  const std::string of_two = make("warp.store", {Poisson, larger});
  expect_fault({"export", of_two}, "warp.store: has 3 problems; choose one by --problem (legal: ");
  expect_fault({"export", of_two, "--problem", "image_warping"},
               "warp.store: has 2 problems 'image_warping'; choose one by --problem (legal: "
               "p0123456789ab (image_warping size=64), p2 (poisson size=9), p3 (image_warping "
               "size=128))");
  expect_fault({"export", of_two, "--problem", "warping"}, "has no problem 'warping' (legal: ");
}

// Nothing is written when one of the files is bad.
TEST_F(CliStore, RefusesFilesThatAreNoStoresAndOtherRequests) {
  const std::string file = make("warp.store");
  const std::string notes = folder_.write("notes.txt", std::string(2000, 'x'));
  const std::string fresh = path("fresh.store");
  expect_fault({"info", notes}, "notes.txt: this is no measurement store");
  expect_fault({"info", path("none.store")}, "none.store: there is no such file");
  expect_fault({"merge", fresh, file, notes}, "notes.txt: this is no measurement store");
  EXPECT_FALSE(std::filesystem::exists(fresh));
  expect_fault({"merge", notes, file}, "notes.txt: this is no measurement store");
  expect_fault({"inof", file},
               "there is no thallo store 'inof'; did you mean 'info'? (legal: info, ");
  expect_fault({"info"}, "FILE");
  expect_fault({"merge", file}, "takes two files at least: merge INTO FROM...");
  expect_fault({"export", file, file}, "takes one file; merge several first");
  EXPECT_THAT(json_of(thallo({"store", "export", file, "--json"}))["error"].get<std::string>(),
              HasSubstr("--json has no effect"));
  expect_fault({"info", file, "--problem", "p2"}, "--problem has no effect on thallo store info");
  expect_fault({"merge", file, file, "--check"}, "--check has no effect on thallo store merge");
  expect_fault({"merge", file, file, "--out", "x"}, "--out has no effect on thallo store merge");
}

TEST_F(CliStore, ShowsNoByteThatTheTerminalWouldObey) {
  const std::string file = make("warp.store", {ProblemRecord{"p3", "bad\x1b[2J\xff", "", ""}});
  EXPECT_THAT(thallo({"store", "info", file}).out, HasSubstr("bad\\x1b[2J\\xff"));
  auto database = Database::open(file, Database::Access::Write);
  ASSERT_TRUE(database);
  ASSERT_TRUE(database->run("UPDATE steps SET label = 'ap' || CAST(x'1bff' AS TEXT)"));
  expect_fault({"info", "--check", file}, "step ap\\x1b\\xff");
}

// JSON is UTF-8.
TEST_F(CliStore, AFileMayHaveAnyName) {
  const std::string file = make("n\xff.store");
  const auto json = json_of(thallo({"store", "info", file, "--json"}));
  EXPECT_THAT(json[0]["file"].get<std::string>(), testing::EndsWith("/n\uFFFD.store"));
}

}  // namespace
}  // namespace thallo::test
