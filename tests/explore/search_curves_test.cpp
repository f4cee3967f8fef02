// How soon recorded searches have found fast schedules.
#include "core/explore/report/search_curves.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include <fmt/format.h>

namespace thallo {
namespace {

using testing::ElementsAre;

SearchRunRecord recorded(const std::string& search, std::uint64_t seed, std::int64_t when,
                         std::map<std::string, std::string> options = {}) {
  SearchRunRecord run{
      .id = fmt::format("{} {} {}", search, seed, when),
      .request = {.problem = "p", .device = "d", .search = search, .space = "full"}};
  run.request.seed = seed;
  run.request.options = std::move(options);
  run.origin.unix_seconds = when;
  run.state = {2, SearchEnding::Finished, {{"pass", 3}}};
  run.events = {{0.5, "a", 3e-6}, {1, "b", 4e-6}, {1.5, "c", 2e-6}};
  return run;
}

TEST(RecordedCurves, JoinRunsThatDifferInTheirSeedsAlone) {
  const std::vector<SearchCurves> curves = recorded_curves(
      {recorded("random", 2, 20), recorded("greedy", 1, 30), recorded("random", 1, 10)},
      ResultKind::Composed);
  ASSERT_EQ(curves.size(), 2u);
  EXPECT_EQ(curves[0].label, "random");
  ASSERT_EQ(curves[0].runs.size(), 2u);
  EXPECT_EQ(curves[0].runs[0].seed, 1u);
  EXPECT_EQ(curves[0].runs[1].seed, 2u);
  EXPECT_EQ(curves[1].label, "greedy");
  const SearchCurve& run = curves[1].runs[0];
  EXPECT_EQ(run.num_measured, 3u);
  EXPECT_EQ(run.seconds, 2);
  EXPECT_EQ(run.figures.front().name, "pass");
  ASSERT_EQ(run.best.size(), 2u);
  EXPECT_EQ(run.best[1].measured, 3u);
  EXPECT_EQ(run.best[1].at, 1.5);
  EXPECT_EQ(run.best[1].best, 2e-6);
  EXPECT_THAT(run.schedules, ElementsAre("a", "c"));
}

TEST(RecordedCurves, AreCalledByWhatTellsThemApartWithoutOtherTimes) {
  std::vector<SearchCurves> curves = recorded_curves(
      {recorded("beam", 1, 1, {{"width", "8"}, {"passes", "5"}}),
       recorded("beam", 1, 2, {{"width", "32"}, {"passes", "5"}}), recorded("greedy", 1, 3)},
      ResultKind::Composed);
  ASSERT_EQ(curves.size(), 3u);
  EXPECT_EQ(curves[0].label, "beam, width=8");
  EXPECT_EQ(curves[1].label, "beam, width=32");
  EXPECT_EQ(curves[2].label, "greedy");
  std::vector<SearchRunRecord> runs;
  for (int width = 1; width <= 14; ++width)
    runs.push_back(recorded("beam", 1, width, {{"width", fmt::to_string(width)}}));
  runs.push_back(recorded("greedy", 1, 99));
  runs.back().request.kind = ResultKind::EndToEnd;
  runs.push_back(recorded("random", 1, 99));
  runs.back().events.clear();
  curves = recorded_curves(runs, ResultKind::Composed);
  ASSERT_EQ(curves.size(), 12u);
  EXPECT_EQ(curves.front().label, "beam, width=3");
  EXPECT_EQ(curves.back().label, "beam, width=14");
}

}  // namespace
}  // namespace thallo
