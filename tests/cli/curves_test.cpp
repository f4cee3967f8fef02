// thallo report --curves: how soon searches find fast schedules, replayed and as recorded.
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <string>
#include <variant>
#include <vector>

#include "core/base/io/file.h"
#include "core/explore/measure/best_so_far.h"
#include "tests/cli/explored_fit.h"

namespace thallo::test {
namespace {

using testing::AllOf, testing::HasSubstr, testing::IsEmpty, testing::Not, testing::StartsWith;
using Json = nlohmann::json;

class CliCurves : public ExploredFit {
 protected:
  CliCurves() { always_ = {"curve_fit", "--points", "50", "--store", store(), "--backend", "cpu"}; }
  ProcessResult report(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "report");
    arguments.insert(arguments.end(), always_.begin(), always_.end());
    return thallo(arguments);
  }
  Json curves(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "--json");
    const ProcessResult result = report(arguments);
    EXPECT_EQ(result.exit_code, Ok) << result.err;
    return json_of(result);
  }
  void expect_refused(const std::vector<std::string>& arguments, const std::string& message) const {
    const ProcessResult result = report(arguments);
    EXPECT_EQ(result.exit_code, User);
    EXPECT_THAT(result.err, HasSubstr(message));
    EXPECT_THAT(result.out, IsEmpty());
  }
};

TEST_F(CliCurves, ShowWhatTheExplorationFoundAndPrinted) {
  const Json printed = explored({"--best", "0"});
  double best = 0;
  for (const Json& candidate : printed["candidates"]) {
    const double seconds = candidate["composed"];
    if (best == 0 || seconds < best) best = seconds;
  }
  const Json json = curves({"--curves", "--search", "exhaustive", "--seeds", "1"});
  EXPECT_EQ(json["best_known"], best);
  ASSERT_EQ(json["recorded"].size(), 1u);
  const Json& recorded = json["recorded"][0]["runs"][0];
  EXPECT_EQ(recorded["curve"].back()["best"], best);
  EXPECT_EQ(json["recorded"][0]["after_schedules"].back()["percent_off"], 0);
  EXPECT_EQ(recorded["measured"], printed["candidates"].size());
  EXPECT_EQ(recorded["ending"], "finished");

  const auto runs = open_store(store(), MeasurementStore::Access::Read).list<SearchRunRecord>();
  ASSERT_EQ(runs->size(), 1u);
  std::vector<TimedEvent> events;
  for (const SearchEvent& event : runs->front().events) events.push_back({event.at, event.seconds});
  const std::vector<BestPoint> expected = best_so_far(events);
  ASSERT_EQ(recorded["curve"].size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(recorded["curve"][i]["measured"], expected[i].measured);
    EXPECT_EQ(recorded["curve"][i]["seconds"], expected[i].at);
    EXPECT_EQ(recorded["curve"][i]["best"], expected[i].best);
  }
  // A replay of the same search looks all of it up, and ends at the same time.
  const Json& replayed = json["replayed"][0]["runs"][0];
  EXPECT_EQ(replayed["measured"], recorded["measured"]);
  EXPECT_EQ(replayed["left_out"], 0);
  EXPECT_EQ(replayed["curve"].back()["best"], best);
}

TEST_F(CliCurves, WriteTheirTablesAndPictures) {
  copy_explored();
  const std::string out = path("curves");
  const ProcessResult result = report(
      {"--curves", "--search", "random,greedy", "--seeds", "2", "--sample", "4", "--out", out});
  EXPECT_EQ(result.exit_code, Ok) << result.err;
  EXPECT_THAT(result.out,
              AllOf(StartsWith("# curve_fit, "), HasSubstr("how soon searches find fast schedules"),
                    HasSubstr("2 of each search, with the seeds 1 to 2; each ends after 30 s at "
                              "the latest, random after 4 draws"),
                    HasSubstr("## Replayed, after so many schedules"),
                    HasSubstr("## Replayed, after so many seconds"),
                    HasSubstr("## As recorded, after so many seconds"),
                    HasSubstr("| schedules measured |"), HasSubstr(" +0.0 % |"),
                    HasSubstr("| exhaustive | recorded | "), HasSubstr("finished")));
  const std::string page = read_file(out + "/curves.md").value();
  for (const char* name : {"curves_by_schedules", "curves_by_time"}) {
    EXPECT_THAT(page, HasSubstr(std::string("](") + name + ".svg)"));
    EXPECT_THAT(read_file(out + "/" + name + ".svg").value(), StartsWith("<svg "));
  }
  EXPECT_TRUE(Json::accept(read_file(out + "/curves.json").value()));
}

TEST_F(CliCurves, CountWhatTheStoreHasNoTimeOf) {
  copy_explored();
  std::size_t num_kept = 0;
  drop([&](const StoreRecord& record) {
    if (const auto* result = std::get_if<ScheduleResult>(&record))
      return result->slot.kind == ResultKind::EndToEnd || ++num_kept > 3;
    return std::holds_alternative<StepSamples>(record) ||
           std::holds_alternative<SearchRunRecord>(record);
  });
  const Json json = curves({"--curves", "--search", "exhaustive", "--seeds", "1"});
  EXPECT_THAT(json["recorded"], IsEmpty());
  const Json& run = json["replayed"][0]["runs"][0];
  EXPECT_EQ(run["measured"], 3);
  EXPECT_GE(run["left_out"], 15);
}

TEST_F(CliCurves, SayWhichSearchCannotBeReplayed) {
  // Without steps there is nothing to correct a cost model by.
  explored({"--measure", "end-to-end", "--search", "random", "--sample", "3"});
  const ProcessResult result = report({"--curves", "--search", "greedy,autotune", "--seeds", "2"});
  EXPECT_EQ(result.exit_code, Ok) << result.err;
  EXPECT_THAT(result.out, AllOf(HasSubstr("- not replayed: autotune: "), HasSubstr("| greedy ")));
}

TEST_F(CliCurves, RefuseWhatTheyCannotShow) {
  expect_refused({"--curves"}, "fit.store: there is no such store; `thallo explore curve_fit`");
  expect_refused({"--seeds", "2"}, "--seeds has no effect without --curves");
  expect_refused({"--budget", "2s"}, "--budget has no effect without --curves");
  copy_explored();
  expect_refused({"--curves", "--search", "gredy"}, "no search 'gredy'; did you mean 'greedy'?");
  expect_refused({"--curves", "--search", "greedy,greedy"}, "the search greedy is named twice");
  expect_refused({"--curves", "--seeds", "0"}, "'0' is no integer from 1 to 1000");
  expect_refused({"--curves", "--out", store()},
                 "fit.store: the folder cannot be made: Not a directory");
  expect_refused({"--curves", "--csv"}, "--csv has no effect with --curves");
  expect_refused({"--curves", "--sweep", "points=8:16"}, "--curves and --sweep exclude each other");
  expect_refused({"--curves", "--device", "H200"},
                 "no result of this problem is of a device 'H200'");
  expect_refused({"--curves", "--search", "greedy", "--seed", "7"},
                 "nothing was measured of curve_fit");

  drop([](const StoreRecord& record) {
    return std::holds_alternative<StepSamples>(record) ||
           std::holds_alternative<SearchRunRecord>(record);
  });
  {
    MeasurementStore measured = open_store(store());
    const auto results = measured.list<ScheduleResult>().value();
    for (const ScheduleResult& result : results) {
      const ScheduleResult failed{
          .slot = result.slot, .status = ResultStatus::Timeout, .reason = "it took too long"};
      ASSERT_TRUE(measured.add(failed, Existing::Replace));
    }
  }
  expect_refused({"--curves", "--search", "greedy", "--seeds", "1"},
                 "nothing can be replayed: the store has no time of any schedule");
}

}  // namespace
}  // namespace thallo::test
