// How soon runs come near the lowest cost, and the table and the diagram that say so.
#include "gui/solve/convergence.h"

#include <memory>

#include <gtest/gtest.h>
#include <QSignalSpy>
#include <QTest>

#include "gui/solve/view/convergence_plot.h"
#include "gui/solve/view/run_table.h"
#include "tests/gui/qt_environment.h"

namespace thallo::test {
namespace {

using gui::SolveRun;
using gui::SolveSnapshot;

// A run with one cost a millisecond in each of its solves.
SolveRun run_of(int number, const std::vector<std::vector<double>>& costs) {
  SolveRun run{.number = number, .state = SolveRun::State::Finished, .schedule = "auto"};
  for (std::size_t solve = 0; solve < costs.size(); ++solve) {
    for (std::size_t i = 0; i < costs[solve].size(); ++i) {
      run.points.push_back({.solve = static_cast<int>(solve),
                            .iteration = static_cast<int>(i),
                            .seconds = 1e-3 * static_cast<double>(i),
                            .cost = costs[solve][i]});
    }
    run.iterations += static_cast<int>(costs[solve].size()) - 1;
  }
  run.solveSeconds = 1e-3 * run.iterations;
  return run;
}

SolveSnapshot two_runs() {
  return {{run_of(1, {{100, 50, 0.5, 0}}), run_of(2, {{100, 2, 1, 0.9, 0.05}})}};
}

TEST(Convergence, IsToTheLowestCostOfAllShownRuns) {
  SolveSnapshot runs = two_runs();
  EXPECT_EQ(gui::lowestCosts(runs), gui::LowestCosts({{0, 0.0}}));
  const auto seconds = [&runs](std::size_t run, double share) {
    return gui::secondsTo(runs.runs[run], gui::lowestCosts(runs), share);
  };
  EXPECT_EQ(seconds(0, 0.01), 2e-3);
  EXPECT_EQ(seconds(1, 0.01), 2e-3);
  EXPECT_EQ(seconds(0, 0.001), 3e-3);
  EXPECT_EQ(seconds(1, 0.001), 4e-3);
  EXPECT_EQ(seconds(1, 0.0001), std::nullopt);
  runs.runs[0].isHidden = true;
  EXPECT_EQ(gui::lowestCosts(runs), gui::LowestCosts({{0, 0.05}}));
  EXPECT_EQ(seconds(1, 0.0001), 4e-3);
  EXPECT_EQ(gui::referenceRun(runs)->number, 2);
}

TEST(Convergence, OfASequenceIsThatOfAllItsSolves) {
  const SolveSnapshot runs{{run_of(1, {{10, 1, 0}, {10, 0}}), run_of(2, {{10, 0}, {10, 5, 1}})}};
  const gui::LowestCosts lowest = gui::lowestCosts(runs);
  EXPECT_EQ(gui::secondsTo(runs.runs[0], lowest, 0.01), 3e-3);
  EXPECT_EQ(gui::secondsTo(runs.runs[1], lowest, 0.01), std::nullopt);
  EXPECT_EQ(gui::secondsTo(runs.runs[1], lowest, 0.1), 3e-3);
}

TEST(Convergence, CountsNoStepThatWasRejectedAndNoCostThatIsNotFinite) {
  SolveSnapshot runs{{run_of(1, {{10, 2, 8}})}};
  runs.runs[0].points[1].isAccepted = false;
  runs.runs[0].points.push_back({.iteration = 3, .cost = -std::numeric_limits<double>::infinity()});
  EXPECT_EQ(gui::lowestCosts(runs), gui::LowestCosts({{0, 8.0}}));
}

TEST(SolveRun, ComparesItsTimeWithThatPredictedForItsIterations) {
  SolveRun run = run_of(1, {{4, 3, 2, 1}});
  EXPECT_EQ(run.predictedSeconds(), std::nullopt);
  run.predicted = {1e-3, 1e-4};
  run.linearIterations = 20;
  EXPECT_DOUBLE_EQ(run.predictedSeconds().value(), 3e-3 + 20e-4);
}

TEST(ConvergencePlot, StandsTheSolvesOfASequenceSideBySide) {
  gui::ConvergencePlot plot;
  plot.resize(600, 300);
  plot.show(std::make_shared<SolveSnapshot>(two_runs()));
  EXPECT_EQ(plot.solves(), std::vector<int>({0}));
  std::vector<std::vector<double>> many(40, {2, 1});
  plot.show(std::make_shared<SolveSnapshot>(SolveSnapshot{{run_of(1, many)}}));
  EXPECT_EQ(plot.solves(), std::vector<int>({0, 7, 15, 23, 31, 39}));
  plot.setOverTime(true);
  plot.setQuantity(gui::ConvergencePlot::Quantity::Cost);
  plot.show(nullptr);
  EXPECT_EQ(plot.solves(), std::vector<int>({0}));
}

class RunTableTest : public testing::Test {
 protected:
  RunTableTest() { table.show(std::make_shared<SolveSnapshot>(two_runs())); }
  QString text(int row, const QString& heading) {
    for (int column = 0; column < table.columnCount(); ++column)
      if (table.horizontalHeaderItem(column)->text() == heading)
        return table.item(row, column)->text();
    return "there is no such column";
  }
  gui::RunTable table;
};

TEST_F(RunTableTest, ComparesRunsWithTheFirstThatIsShown) {
  EXPECT_EQ(table.rowCount(), 2);
  EXPECT_EQ(table.shownRun(), 2);
  EXPECT_EQ(text(1, "× of run 1"), "1.33");
  EXPECT_EQ(text(1, "to 1 %"), "2.00 ms");
  EXPECT_EQ(text(0, "× predicted"), "");
}

TEST_F(RunTableTest, HidesRenamesAndRemovesRuns) {
  QSignalSpy hidden(&table, &gui::RunTable::runHidden), named(&table, &gui::RunTable::runRenamed),
      removed(&table, &gui::RunTable::runRemoved);
  table.item(0, 0)->setCheckState(Qt::Unchecked);
  ASSERT_TRUE(hidden.wait());
  EXPECT_EQ(hidden.front().front().toInt(), 1);
  EXPECT_TRUE(hidden.front().back().toBool());
  table.item(1, 1)->setText("with more iterations");
  ASSERT_TRUE(named.wait());
  EXPECT_EQ(named.front().front().toInt(), 2);
  EXPECT_EQ(named.front().back().toString(), "with more iterations");
  table.selectRow(0);
  QTest::keyClick(&table, Qt::Key_Delete);
  ASSERT_EQ(removed.size(), 1);
  EXPECT_EQ(removed.front().front().toInt(), 1);
}

}  // namespace
}  // namespace thallo::test
