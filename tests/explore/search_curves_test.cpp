// How soon searches find fast schedules: curves of runs, their medians, and pictures of them.
#include "core/explore/report/search_curves.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "core/base/random.h"
#include "core/explore/report/curve_figures.h"

namespace thallo {
namespace {

using testing::ElementsAre, testing::HasSubstr, testing::IsEmpty, testing::Not;

constexpr double NotReached = std::numeric_limits<double>::infinity();

// Times fall and rise; the clock goes on.
std::vector<TimedEvent> random_events(Random& random, std::size_t most) {
  std::vector<TimedEvent> events;
  double at = 0;
  for (std::size_t left = random.below(most + 1); left > 0; --left) {
    at += 0.01 * static_cast<double>(random.below(50));
    events.push_back({at, 1e-6 * static_cast<double>(1 + random.below(1000))});
  }
  return events;
}

SearchCurve curve_of(const std::vector<TimedEvent>& events) {
  return {.num_measured = events.size(),
          .best = best_so_far(events),
          .seconds = events.empty() ? 0 : events.back().at};
}

SearchCurves random_curves(Random& random) {
  SearchCurves curves{.search = "random", .label = "random"};
  for (std::size_t left = 1 + random.below(6); left > 0; --left)
    curves.runs.push_back(curve_of(random_events(random, 60)));
  return curves;
}

// The least time of the first events, or of those until then.
double best_by_hand(const std::vector<TimedEvent>& events, CurveAxis axis, double at) {
  double best = NotReached;
  for (std::size_t i = 0; i < events.size(); ++i) {
    const double place = axis == CurveAxis::Schedules ? static_cast<double>(i + 1) : events[i].at;
    if (place <= at) best = std::min(best, events[i].seconds);
  }
  return best;
}

TEST(SearchCurves, OfOneRunAreItsBestTimes) {
  Random random(3);
  for (int trial = 0; trial < 50; ++trial) {
    const std::vector<TimedEvent> events = random_events(random, 60);
    SearchCurves curves{.search = "random", .label = "random", .runs = {curve_of(events)}};
    for (const CurveAxis axis : {CurveAxis::Schedules, CurveAxis::Seconds}) {
      for (const double at : {0.0, 0.5, 1.0, 2.0, 3.0, 7.0, 20.0, 60.0, 1000.0}) {
        const MedianPoint point = median_at(curves, axis, at);
        const double best = best_by_hand(events, axis, at);
        EXPECT_EQ(point.median, best) << at;
        EXPECT_EQ(point.least, best) << at;
        EXPECT_EQ(point.most, best) << at;
      }
    }
  }
}

TEST(SearchCurves, HaveMediansThatNeverRise) {
  Random random(4);
  for (int trial = 0; trial < 100; ++trial) {
    const SearchCurves curves = random_curves(random);
    for (const CurveAxis axis : {CurveAxis::Schedules, CurveAxis::Seconds}) {
      MedianPoint before{-1, NotReached, NotReached, NotReached};
      for (const MedianPoint& point : median_curve(curves, axis)) {
        EXPECT_GT(point.at, before.at);
        EXPECT_LE(point.median, before.median);
        EXPECT_LE(point.least, before.least);
        EXPECT_LE(point.most, before.most);
        EXPECT_LE(point.least, point.median);
        EXPECT_LE(point.median, point.most);
        before = point;
      }
    }
  }
}

TEST(SearchCurves, HaveNoMedianBeforeHalfOfTheRunsHaveATime) {
  SearchCurves curves{.search = "beam", .label = "beam"};
  curves.runs = {curve_of({{1, 5e-6}}), curve_of({{2, 3e-6}}), curve_of({})};
  EXPECT_EQ(median_at(curves, CurveAxis::Seconds, 0.5).median, NotReached);
  EXPECT_EQ(median_at(curves, CurveAxis::Seconds, 1).median, NotReached);
  EXPECT_EQ(median_at(curves, CurveAxis::Seconds, 1).least, 5e-6);
  EXPECT_EQ(median_at(curves, CurveAxis::Seconds, 2).median, 5e-6);
  EXPECT_EQ(median_at(curves, CurveAxis::Seconds, 2).most, NotReached);
  curves.runs = {curve_of({}), curve_of({})};
  EXPECT_EQ(median_at(curves, CurveAxis::Schedules, 1).median, NotReached);
  EXPECT_THAT(median_curve(curves, CurveAxis::Schedules), IsEmpty());
}

TEST(SearchCurves, EndWhereTheirLongestRunDoesWithStopsAtOneTwoAndFive) {
  SearchCurves curves{.search = "greedy", .label = "greedy"};
  curves.runs = {curve_of({{1, 5e-6}, {2, 6e-6}, {4, 6e-6}}), curve_of({{1, 4e-6}})};
  EXPECT_EQ(median_curve(curves, CurveAxis::Schedules).back().at, 3);
  EXPECT_EQ(median_curve(curves, CurveAxis::Seconds).back().at, 4);
  EXPECT_THAT(stops_of({&curves, 1}, CurveAxis::Schedules), ElementsAre(1, 2, 3));
  EXPECT_THAT(stops_of({&curves, 1}, CurveAxis::Seconds), ElementsAre(1, 2, 4));
  EXPECT_THAT(curve_stops(1, 30), ElementsAre(1, 2, 5, 10, 20, 30));
  EXPECT_THAT(curve_stops(1, 0), IsEmpty());
  EXPECT_THAT(curve_stops(0.03, 2.5), ElementsAre(0.05, 0.1, 0.2, 0.5, 1, 2, 2.5));
  SearchCurves stops{.search = "s", .label = "s"};
  stops.runs = {curve_of({{0, 5e-6}, {50, 4e-6}})};
  const std::vector<double> bounded = stops_of({&stops, 1}, CurveAxis::Seconds);
  EXPECT_GE(bounded.front(), 0.005);
  EXPECT_LE(bounded.size(), 14u);
}

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
  const RecordedCurves curves = recorded_curves(
      {recorded("random", 2, 20), recorded("greedy", 1, 30), recorded("random", 1, 10)},
      ResultKind::Composed);
  EXPECT_EQ(curves.num_other_runs, 0u);
  ASSERT_EQ(curves.kinds.size(), 2u);
  EXPECT_EQ(curves.kinds[0].label, "random");
  ASSERT_EQ(curves.kinds[0].runs.size(), 2u);
  EXPECT_EQ(curves.kinds[0].runs[0].seed, 1u);
  EXPECT_EQ(curves.kinds[0].runs[1].seed, 2u);
  EXPECT_EQ(curves.kinds[1].label, "greedy");
  const SearchCurve& run = curves.kinds[1].runs[0];
  EXPECT_EQ(run.num_measured, 3u);
  EXPECT_EQ(run.seconds, 2);
  EXPECT_EQ(run.figures.front().name, "pass");
  EXPECT_FALSE(run.num_left_out);
  ASSERT_EQ(run.best.size(), 2u);
  EXPECT_EQ(run.best[1].measured, 3u);
  EXPECT_EQ(run.best[1].at, 1.5);
  EXPECT_EQ(run.best[1].best, 2e-6);
  EXPECT_THAT(run.schedules, ElementsAre("a", "c"));
}

TEST(RecordedCurves, AreCalledByWhatTellsThemApartWithoutOtherTimes) {
  RecordedCurves curves = recorded_curves(
      {recorded("beam", 1, 1, {{"width", "8"}, {"passes", "5"}}),
       recorded("beam", 1, 2, {{"width", "32"}, {"passes", "5"}}), recorded("greedy", 1, 3)},
      ResultKind::Composed);
  ASSERT_EQ(curves.kinds.size(), 3u);
  EXPECT_EQ(curves.kinds[0].label, "beam, width=8");
  EXPECT_EQ(curves.kinds[1].label, "beam, width=32");
  EXPECT_EQ(curves.kinds[2].label, "greedy");
  std::vector<SearchRunRecord> runs;
  for (int width = 1; width <= 14; ++width)
    runs.push_back(recorded("beam", 1, width, {{"width", fmt::to_string(width)}}));
  runs.push_back(recorded("greedy", 1, 99));
  runs.back().request.kind = ResultKind::EndToEnd;
  runs.push_back(recorded("random", 1, 99));
  runs.back().events.clear();
  curves = recorded_curves(runs, ResultKind::Composed);
  EXPECT_EQ(curves.num_other_runs, 4u);
  ASSERT_EQ(curves.kinds.size(), 12u);
  EXPECT_EQ(curves.kinds.front().label, "beam, width=3");
  EXPECT_EQ(curves.kinds.back().label, "beam, width=14");
}

CurveComparison comparison_of(std::vector<SearchCurves> replayed, std::vector<SearchCurves> kinds) {
  CurveComparison comparison{.problem = "p", .best_known = 1e-6};
  comparison.replayed = std::move(replayed);
  comparison.recorded.kinds = std::move(kinds);
  return comparison;
}

TEST(CurveFigures, AreDrawnOfAnyRuns) {
  Random random(5);
  for (int trial = 0; trial < 40; ++trial) {
    std::vector<SearchCurves> replayed;
    for (std::size_t left = random.below(9); left > 0; --left)
      replayed.push_back(random_curves(random));
    const CurveComparison comparison = comparison_of(replayed, {random_curves(random)});
    for (const Figure& figure : curve_figures(comparison)) {
      const std::string svg = figure.picture.file(plot::Theme::FollowsReader);
      EXPECT_THAT(svg, Not(HasSubstr("nan")));
      EXPECT_THAT(svg, Not(HasSubstr("inf")));
    }
  }
}

TEST(CurveFigures, NameTheirAxesAndTheSearches) {
  SearchCurves greedy{.search = "greedy", .label = "greedy"};
  greedy.runs = {curve_of({{1, 5e-6}, {2, 2e-6}})};
  SearchCurves beam{.search = "beam", .label = "beam, width=8"};
  beam.runs = {curve_of({{3, 4e-6}})};
  const std::vector<Figure> figures = curve_figures(comparison_of({greedy}, {beam}));
  ASSERT_EQ(figures.size(), 2u);
  for (const Figure& figure : figures) {
    const std::string svg = figure.picture.file(plot::Theme::FollowsReader);
    for (const char* text : {"best time so far (µs)", "replayed", "as recorded", ">greedy<",
                             ">beam, width=8<", "best known"})
      EXPECT_THAT(svg, HasSubstr(text));
  }
  EXPECT_EQ(figures[0].name, "curves_by_schedules");
  EXPECT_THAT(figures[0].picture.file(plot::Theme::Dark), HasSubstr("schedules measured"));
  EXPECT_THAT(figures[1].picture.file(plot::Theme::Dark), HasSubstr(">seconds<"));
  EXPECT_THAT(curve_figures(comparison_of({}, {})), IsEmpty());
}

}  // namespace
}  // namespace thallo
