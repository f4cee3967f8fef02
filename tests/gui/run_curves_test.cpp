// How soon recorded searches found fast schedules: as the app keeps it, and as the page draws it.
#include <gtest/gtest.h>

#include <memory>

#include <QLabel>
#include <QTabBar>
#include <QTest>
#include <QToolButton>

#include "core/explore/store/store.h"
#include "gui/base/text.h"
#include "gui/space/view/curve_plot.h"
#include "gui/space/view/space_page.h"
#include "gui/widgets/qcp.h"
#include "tests/gui/qt_environment.h"
#include "tests/gui/shown_windows.h"
#include "tests/gui/space_records.h"
#include "tests/support/temp_dir.h"

namespace thallo::test {
namespace {

SearchRunRecord run_of(const std::string& search, std::uint64_t seed, std::int64_t when,
                       const std::vector<SearchEvent>& events) {
  SearchRunRecord run{.id = search + std::to_string(seed) + std::to_string(when),
                      .request = {.problem = "p", .device = "d", .search = search, .space = "full"},
                      .events = events};
  run.request.seed = seed;
  run.origin.unix_seconds = when;
  run.state = {events.empty() ? 0 : events.back().at + 1, SearchEnding::Finished, {{"pass", 3}}};
  return run;
}

TEST(RunCurves, ImproveWithEachStepAndEndWithTheLatestRun) {
  const auto curves =
      gui::runCurves({run_of("greedy", 1, 20, {{1, "a", 5e-3}, {2, "b", 6e-3}, {3, "c", 2e-3}}),
                      run_of("beam", 1, 10, {{1, "a", 4e-3}})},
                     ResultKind::Composed);
  ASSERT_EQ(curves.size(), 2u);
  EXPECT_EQ(curves[0].label, "beam");
  const SearchCurve& greedy = curves[1].curve;
  EXPECT_EQ(curves[1].label, "greedy");
  EXPECT_EQ(greedy.num_measured, 3u);
  EXPECT_EQ(figures_text(greedy.figures), "pass 3");
  ASSERT_EQ(greedy.best.size(), 2u);
  EXPECT_EQ(greedy.best[1].measured, 3u);
  EXPECT_EQ(greedy.best[1].at, 3);
  EXPECT_EQ(greedy.schedules[1], "c");
  EXPECT_EQ(curves[1].summary(), "greedy: 2.00 ms after 3 schedules in 4.00 s");
}

TEST(RunCurves, NameTheSeedsOfRunsOfOneKindAndKeepTheLatest) {
  std::vector<SearchRunRecord> runs;
  for (int seed = 1; seed <= 11; ++seed)
    runs.push_back(run_of("random", static_cast<std::uint64_t>(seed), seed, {{1, "a", 1e-3}}));
  const auto curves = gui::runCurves(runs, ResultKind::Composed);
  ASSERT_EQ(curves.size(), 8u);
  EXPECT_EQ(curves.front().label, "random, seed 4");
  EXPECT_EQ(curves.back().label, "random, seed 11");
  EXPECT_TRUE(gui::runCurves(runs, ResultKind::EndToEnd).empty());
}

class RunCurvesOnThePage : public testing::Test {
 protected:
  void show() {
    workspace.space().openStore(QString::fromStdString(file.string()));
    page.resize(960, 760);
    page.show();
    ASSERT_TRUE(wait_until([this] { return page.isSettled(); }));
    ASSERT_TRUE(wait_until_shown());
  }
  // Adds a run that found the schedules of the store, the slowest first.
  void record(const std::string& search, std::int64_t when, SearchEnding ending) {
    auto store = MeasurementStore::open(file, MeasurementStore::Access::Write).value();
    auto results = store.list<ScheduleResult>().value();
    std::erase_if(results, [](const ScheduleResult& result) { return !result.is_ok(); });
    std::ranges::sort(results, std::greater(), &ScheduleResult::nonlinear_seconds);
    SearchRunRecord run = run_of(search, 1, when, {});
    run.request.problem = results.front().slot.problem;
    run.request.device = results.front().slot.device;
    for (const ScheduleResult& result : results) {
      const double at = static_cast<double>(run.events.size() + 1);
      run.events.push_back({at, result.slot.schedule, result.nonlinear_seconds});
    }
    run.state.seconds = run.events.back().at;
    run.state.ending = ending;
    ASSERT_TRUE(store.add(run));
  }
  template <class T>
  T& child(const char* name) {
    return *page.findChild<T*>(name);
  }

  void choose(int tab) {
    auto& tabs = child<QTabBar>("timesTabs");
    QTest::mouseClick(&tabs, Qt::LeftButton, {}, tabs.tabRect(tab).center());
  }

  TempDir folder;
  std::filesystem::path file = folder.path() / "made.store";
  OpenWorkspace open{
      {.problem = "bundle_fusion", .options = {{"dense", "false"}}, .device = "h200"}};
  gui::Workspace& workspace = open.workspace;
  std::unique_ptr<gui::Page> made{gui::makeSpacePage(workspace)};
  gui::Page& page = *made;
};

TEST_F(RunCurvesOnThePage, SayWhatToDoWhereNoSearchWasRecorded) {
  write_space(file, *workspace.problems().problem().value);
  show();
  choose(1);
  EXPECT_FALSE(child<gui::Plot>("distributionPlot").isVisible());
  EXPECT_FALSE(child<gui::Plot>("curvePlot").isVisible());
  EXPECT_TRUE(child<QLabel>("noRuns").isVisible());
  EXPECT_TRUE(child<QLabel>("noRuns").text().contains("Explore"));
  choose(0);
  EXPECT_TRUE(child<gui::Plot>("distributionPlot").isVisible());
  EXPECT_FALSE(child<QLabel>("noRuns").isVisible());
}

TEST_F(RunCurvesOnThePage, AreDrawnAsTheyAreRecorded) {
  write_space(file, *workspace.problems().problem().value);
  record("random", 1, SearchEnding::Finished);
  show();
  choose(1);
  auto& plot = child<gui::CurvePlot>("curvePlot");
  EXPECT_TRUE(plot.isVisible());
  EXPECT_EQ(plot.numCurves(), 1);
  EXPECT_EQ(plot.accessibleDescription(), "random: 1.00 ms after 21 schedules in 21.0 s");
  EXPECT_EQ(child<QLabel>("runFigures").text(),
            "random: 1.00 ms after 21 schedules in 21.0 s · pass 3");
  ASSERT_FALSE(plot.grab().isNull());
  EXPECT_EQ(plot.findChild<QCustomPlot*>()->xAxis->tickVector(),
            QVector<double>({1, 2, 5, 10, 20}));
  // Another run is under way.
  record("greedy", 2, SearchEnding::Open);
  workspace.space().reload();
  ASSERT_TRUE(wait_until([&] { return plot.numCurves() == 2; }));
  EXPECT_TRUE(child<QLabel>("runFigures").text().startsWith("greedy: 1.00 ms"));
}

TEST_F(RunCurvesOnThePage, TakeTheScheduleOfAStepThatIsClicked) {
  write_space(file, *workspace.problems().problem().value);
  record("random", 1, SearchEnding::Finished);
  show();
  choose(1);
  auto& plot = child<gui::CurvePlot>("curvePlot");
  // The layout of the diagram is made when it is painted.
  ASSERT_FALSE(plot.grab().isNull());
  const auto& run = workspace.space().space().value->runs.front().curve;
  const auto click = [&](std::size_t step) {
    QTest::mouseClick(plot.findChild<QWidget*>(), Qt::LeftButton, {},
                      plot.positionOf(0, step).toPoint());
    return workspace.selection().current().id;
  };
  EXPECT_EQ(click(2), gui::toQt(run.schedules[2]));
  EXPECT_EQ(click(0), gui::toQt(run.schedules[0]));
  const double before = plot.positionOf(0, 9).x();
  QTest::mouseClick(&child<QToolButton>("curvesBySeconds"), Qt::LeftButton);
  ASSERT_FALSE(plot.grab().isNull());
  EXPECT_EQ(click(1), gui::toQt(run.schedules[1]));
  EXPECT_NEAR(plot.positionOf(0, 9).x(), before, 20) << "a schedule was measured every second";
}

TEST_F(RunCurvesOnThePage, AreReachedByKeys) {
  write_space(file, *workspace.problems().problem().value);
  record("random", 1, SearchEnding::Finished);
  show();
  auto& tabs = child<QTabBar>("timesTabs");
  EXPECT_NE(tabs.focusPolicy() & Qt::TabFocus, 0);
  QTest::keyClick(&tabs, Qt::Key_Right);
  EXPECT_EQ(tabs.currentIndex(), 1);
  EXPECT_TRUE(child<gui::Plot>("curvePlot").isVisible());
}

}  // namespace
}  // namespace thallo::test
