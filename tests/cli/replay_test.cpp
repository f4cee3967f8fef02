// thallo explore --measure replay: searches on the times that a store has.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <filesystem>
#include <string>
#include <variant>
#include <vector>

#include "core/base/io/file.h"
#include "tests/cli/explored_fit.h"

namespace thallo::test {
namespace {

using testing::AllOf, testing::HasSubstr, testing::StartsWith;
using Json = nlohmann::json;

class CliReplay : public ExploredFit {
 protected:
  CliReplay() { always_ = {"curve_fit", "--points", "50", "--store", store()}; }
  Json replayed() const { return explored({"--measure", "replay"}); }
};

const ScheduleResult* result_in(const StoreRecord& record) {
  return std::get_if<ScheduleResult>(&record);
}

TEST_F(CliReplay, LooksUpTheTimesOfTheStore) {
  copy_explored();
  const Json json = replayed();
  EXPECT_EQ(json["left_out"], 0);
  EXPECT_EQ(json["composed_of_steps"], 0);
  double best = 0;
  std::size_t num_compared = 0;
  const auto results = open_store(store(), MeasurementStore::Access::Read).list<ScheduleResult>();
  ASSERT_TRUE(results);
  for (const ScheduleResult& result : *results) {
    if (result.slot.kind != ResultKind::Composed) continue;
    if (best == 0 || result.nonlinear_seconds < best) best = result.nonlinear_seconds;
    for (const Json& candidate : json["candidates"]) {
      if (candidate["hash"] != result.slot.schedule) continue;
      EXPECT_EQ(candidate["stored"], result.nonlinear_seconds);
      ++num_compared;
    }
  }
  EXPECT_EQ(num_compared, json["candidates"].size());
  EXPECT_EQ(json["best_known"], best);
  EXPECT_EQ(json["looked_up"], json["candidates"].size());
  EXPECT_EQ(json["curve"].back()["best"], best);
  for (std::size_t i = 1; i < json["curve"].size(); ++i) {
    EXPECT_LT(json["curve"][i]["best"], json["curve"][i - 1]["best"]);
    EXPECT_GT(json["curve"][i]["looked_up"], json["curve"][i - 1]["looked_up"]);
  }
  EXPECT_THAT(explore({"--measure", "replay"}).out,
              AllOf(HasSubstr("replayed with the times of"), HasSubstr("best so far us"),
                    HasSubstr("0 without a time there were left out")));
}

// The keys of steps need no compiler, and are those that workers found.
TEST_F(CliReplay, ComposesWhatHasNoResultOfTheStepsThatAreStored) {
  copy_explored();
  const Json whole = replayed();
  std::size_t num_results = 0;
  drop([&](const StoreRecord& record) {
    return result_in(record) != nullptr && ++num_results % 2 == 0;
  });
  const Json composed = replayed();
  EXPECT_GT(composed["composed_of_steps"], 4);
  EXPECT_EQ(composed["left_out"], 0);
  ASSERT_EQ(composed["candidates"].size(), whole["candidates"].size());
  for (const Json& candidate : composed["candidates"]) {
    for (const Json& its : whole["candidates"]) {
      if (its["hash"] != candidate["hash"]) continue;
      EXPECT_NEAR(candidate["stored"].get<double>() / its["stored"].get<double>(), 1, 1e-9);
    }
  }
}

TEST_F(CliReplay, LeavesOutAndCountsWhatTheStoreHasNoTimeOf) {
  copy_explored();
  std::size_t num_kept = 0;
  drop([&](const StoreRecord& record) {
    if (const ScheduleResult* result = result_in(record))
      return result->slot.kind == ResultKind::EndToEnd || ++num_kept > 3;
    return std::holds_alternative<StepSamples>(record);
  });
  const Json json = replayed();
  EXPECT_EQ(json["candidates"].size(), 3u);
  EXPECT_GE(json["left_out"], 15);
  EXPECT_EQ(json["composed_of_steps"], 0);
}

TEST_F(CliReplay, ComparesASearchWithItsSwitchesOnAndOff) {
  copy_explored();
  const auto bench = [this](const std::string& switches) {
    return thallo({"bench", "switches", "curve_fit", "--points", "50", "--backend", "cpu",
                   "--search-set", "width=4", "--switches", switches, "--store", store(),
                   "--json"});
  };
  const Json rows = json_of(bench("freezing,sampling"))["switches"]["rows"];
  ASSERT_EQ(rows.size(), 4u);
  for (const Json& row : rows) {
    EXPECT_GT(row["states priced"], 0) << row;
    EXPECT_EQ(row["ending"], "finished") << row;
    EXPECT_GE(row["off_best"], 0) << row;
    EXPECT_LE(row["off_best"], 2) << row;
    EXPECT_GE(row["off_known"], 0) << row;
  }
  EXPECT_EQ(rows[0]["freezing"], "on");
  EXPECT_EQ(rows[3]["sampling"], "off");
  EXPECT_THAT(bench("passes").err, HasSubstr("--search-set passes=on: "));
  EXPECT_THAT(bench("a,b,c,d,e,f,g,h,i").err,
              HasSubstr("9 switches are 512 runs of the search: name 8 at most"));
}

TEST_F(CliReplay, ComparesHowSoonSearchesFindFastSchedules) {
  copy_explored();
  const auto bench = [this](const std::string& searches) {
    return thallo({"bench", "searches", "curve_fit", "--points", "50", "--backend", "cpu",
                   "--searches", searches, "--seeds", "2", "--sample", "4", "--store", store(),
                   "--pictures", path("pictures"), "--json"});
  };
  const Json table = json_of(bench("exhaustive,random"))["searches"];
  const Json& last = table["rows"].back();
  // A cell is empty until the search has found something.
  const auto time_in = [](const Json& row, const char* search) {
    return row[search].is_null() ? INFINITY : row[search].get<double>();
  };
  for (const Json& row : table["rows"]) {
    EXPECT_LE(time_in(row, "random_least"), time_in(row, "random")) << row;
    EXPECT_GE(time_in(row, "exhaustive"), time_in(last, "exhaustive")) << row;
  }
  // A replay of the recorded search looks all of it up, and ends at the same time.
  EXPECT_EQ(last["exhaustive"], last["exhaustive, recorded"]);
  const Json all = replayed();
  EXPECT_NEAR(last["exhaustive"], 1e6 * all["best_known"].get<double>(), 1e-6);
  const auto looked_up = fmt::format("{} schedules with a time, ", all["looked_up"].dump());
  EXPECT_THAT(table["notes"].dump(),
              AllOf(HasSubstr("exhaustive: 2 runs, " + looked_up + "0 left out, "),
                    HasSubstr("exhaustive, recorded: 1 runs, " + looked_up)));
  for (const char* axis : {"schedules", "s"}) {
    const std::string picture = path(std::string("pictures/searches_by_") + axis + ".svg");
    EXPECT_THAT(read_file(picture).value(), AllOf(StartsWith("<svg "), HasSubstr(">random<")));
  }
  EXPECT_THAT(bench("gredy").err, HasSubstr("no search 'gredy'; did you mean 'greedy'?"));
}

TEST_F(CliReplay, RefusesWhatItCannotLookUp) {
  expect_fault({"--measure", "replay"}, "fit.store: there is no such file");
  expect_fault({"--measure", "composed", "--device-name", "H200"},
               "--device-name has no effect: no times are taken from a store");
  expect_fault({"--measure", "replay", "--objective", "1%"}, "--measure replay runs none");
  expect_fault({"--measure", "replay", "--best", "3"}, "--best has no effect");

  {
    MeasurementStore others = make_store(store(), 1);
    expect_fault({"--measure", "replay"}, "(legal: image_warping (p0123456789ab size=64))");
    for (int seed = 2; seed < 9; ++seed) {
      const std::string noise = seed == 8 ? "2.5" : "3";
      ASSERT_TRUE(others.add(ProblemRecord{fmt::format("p{}", seed), "curve_fit",
                                           fmt::format("noise={}, seed={}", noise, seed), ""}));
    }
    expect_fault({"--measure", "replay"}, "(legal: noise=2.5, seed=8, noise=3, seed=2, ");
    expect_fault({"--measure", "replay"}, "noise=3, seed=5, and 2 more)");
  }
  std::filesystem::remove(store());

  copy_explored();
  expect_fault({"--measure", "replay", "--seed", "7"},
               "file=, nist=, nist_dir=, noise=2.5, points=50, seed=7, start=1); its options");
  expect_fault({"--measure", "replay", "--device-name", "H200"},
               "no result of this problem is of a device 'H200'");
  MeasurementStore measured = open_store(store());
  const auto results = measured.list<ScheduleResult>();
  ASSERT_TRUE(results);
  ASSERT_TRUE(measured.add(DeviceRecord{"another", "another processor", "cpu"}));
  ScheduleResult other = results->front();
  other.slot.device = "another";
  ASSERT_TRUE(measured.add(other));
  expect_fault({"--measure", "replay"},
               "2 devices have results of this problem; choose one by --device-name");
  expect_fault({"--measure", "replay", "--device-name", "another"},
               "neither the store nor this machine has a spec of another processor");
}

}  // namespace
}  // namespace thallo::test
