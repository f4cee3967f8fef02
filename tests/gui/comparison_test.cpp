// Two schedules side by side: the comparison itself, and how it is asked for on the page.
#include <gtest/gtest.h>
#include <QComboBox>
#include <QLabel>
#include <QTabBar>
#include <QTest>
#include <QTreeView>

#include "gui/schedule/schedule_comparison.h"
#include "gui/schedule/view/comparison_view.h"
#include "tests/gui/schedule_page_driver.h"

namespace thallo::test {
namespace {

using gui::ComparedSchedule;
using gui::ComparisonRow;

gui::TimeEstimate time_of(std::vector<gui::TimeSegment> segments, double bytes) {
  gui::TimeEstimate time{.segments = std::move(segments), .bytes = bytes};
  for (const gui::TimeSegment& segment : time.segments)
    time.nonlinear += segment.runs * segment.predicted;
  return time;
}

gui::TimeSegment step(const QString& label, double predicted, std::optional<double> measured = {}) {
  return {.label = label, .runs = 2, .predicted = predicted, .measured = measured};
}

const ComparisonRow* find(const gui::ScheduleComparison& comparison, const QString& what) {
  for (const gui::ComparisonSection& section : comparison.sections)
    for (const ComparisonRow& row : section.rows)
      if (row.what == what) return &row;
  return nullptr;
}

const ComparedSchedule Stored{"stored",
                              "r.fit:strategy(\"[JtJ]p\")\nr.fit:storage(\"csr\")\n",
                              time_of({step("a", 3e-6), step("b", 1e-6, 2e-6)}, 3e6),
                              {{"strategy of fit", "[JtJ]p", false},
                               {"storage of fit", "csr", false},
                               {"block of fit jtjp", "threads=64", true},
                               {"block of fit cost", "threads=256", true},
                               {"block of fit jtj", "threads=64", true}},
                              {{"JtJ.fit", 2e6}, {"p", 1e6}}};
const ComparedSchedule Fused{"fused",
                             "r.fit:strategy(\"Jt[Jp]\")\n",
                             time_of({step("b", 1e-6, 4e-6), step("c", 1e-6)}, 1e6),
                             {{"strategy of fit", "Jt[Jp]", true},
                              {"block of fit jtjp", "threads=64", true},
                              {"block of fit cost", "threads=512", false}},
                             {{"p", 1e6}}};

TEST(ScheduleComparison, SaysInWordsWhatTheCurrentOneGains) {
  const auto comparison = gui::compareSchedules(Stored, Fused);
  EXPECT_EQ(comparison.summary.toStdString(),
            "fused takes ≈ 4.00 µs, stored takes ≈ 8.00 µs: 2.00× faster");
  EXPECT_EQ(comparison.direction, -1);
  const ComparisonRow* memory = find(comparison, "memory on the device");
  EXPECT_EQ(memory->change.toStdString(), "−2.00 MB");
  EXPECT_EQ(memory->direction, -1);
}

TEST(ScheduleComparison, ComparesTimesOfOneKind) {
  ComparedSchedule other = Stored, current = Fused;
  other.time.measured = 5e-6;
  EXPECT_EQ(
      gui::compareSchedules(other, current).summary.toStdString(),
      "fused takes ≈ 2.50 µs, stored takes 5.00 µs: 2.00× faster (≈ is estimated, scaled by a "
      "measured time)");
  EXPECT_EQ(find(gui::compareSchedules(other, current), "c")->current.toStdString(), "≈ 1.25 µs");
  current.time.measured = 10e-6;
  const auto comparison = gui::compareSchedules(other, current);
  EXPECT_EQ(comparison.summary.toStdString(),
            "fused takes 10.0 µs, stored takes 5.00 µs: 2.00× slower");
  const ComparisonRow* b = find(comparison, "b");
  EXPECT_EQ(b->other.toStdString(), "4.00 µs");
  EXPECT_EQ(b->current.toStdString(), "8.00 µs");
  EXPECT_EQ(b->direction, 1);
}

TEST(ScheduleComparison, MarksWhatOnlyOneOfThemHas) {
  const auto comparison = gui::compareSchedules(Stored, Fused);
  EXPECT_EQ(find(comparison, "a")->in, ComparisonRow::In::Other);
  EXPECT_EQ(find(comparison, "a")->change.toStdString(), "only in stored");
  EXPECT_EQ(find(comparison, "c")->in, ComparisonRow::In::Current);
  EXPECT_EQ(find(comparison, "c")->other.toStdString(), "");
  EXPECT_EQ(find(comparison, "JtJ.fit")->change.toStdString(), "only in stored");
  EXPECT_EQ(find(comparison, "p"), nullptr) << "both have it alike";
}

TEST(ScheduleComparison, PutsTheChoicesAtASiteBesideEachOther) {
  const auto comparison = gui::compareSchedules(Stored, Fused);
  const ComparisonRow* strategy = find(comparison, "strategy of fit");
  EXPECT_EQ(strategy->other.toStdString(), "[JtJ]p");
  EXPECT_EQ(strategy->current.toStdString(), "Jt[Jp] (default)");
  EXPECT_EQ(strategy->change.toStdString(), "another choice");
  const ComparisonRow* storage = find(comparison, "storage of fit");
  EXPECT_EQ(storage->other.toStdString(), "csr");
  EXPECT_EQ(storage->current.toStdString(), "");
  EXPECT_EQ(storage->change.toStdString(), "only in stored");
  // Sites of one construct are told apart; those where nothing is decided otherwise are left out.
  EXPECT_EQ(find(comparison, "block of fit cost")->current.toStdString(), "threads=512");
  EXPECT_EQ(find(comparison, "block of fit jtjp"), nullptr);
  EXPECT_EQ(find(comparison, "block of fit jtj"), nullptr);
}

TEST(ScheduleComparison, HasNoRowsForTheSameSchedule) {
  EXPECT_TRUE(gui::compareSchedules(Stored, Stored).isEmpty());
}

double sum_of(const gui::ScheduleComparison& comparison) {
  double sum = 0;
  for (const gui::ChangeCause& cause : comparison.causes) sum += cause.seconds;
  return sum;
}

// Their times are 8 and 4 µs.
const TimeChangeCauses Causes{
    .from = 8e-6,
    .to = 4e-6,
    .causes = {{.cause = Cause::Recomputation,
                .seconds = -5e-6,
                .steps = {{"a", -5e-6, "computes 1 flop instead of 2"}},
                .sentence = "a -5 µs: computes 1 flop instead of 2"},
               {.cause = Cause::StoredBytes, .seconds = 1e-6, .sentence = "more"}}};

TEST(ScheduleComparison, SaysWhyTheTimesDiffer) {
  const auto estimated = gui::compareSchedules(Stored, Fused, Causes);
  ASSERT_EQ(estimated.causes.size(), 2u);
  EXPECT_EQ(estimated.causes[0].name.toStdString(), "recomputation");
  EXPECT_EQ(estimated.causes[0].sentence.toStdString(), "a −5.00 µs: computes 1 flop instead of 2");
  EXPECT_NEAR(estimated.from + sum_of(estimated), estimated.to, 1e-18);
  // Half as long, as one of the two was measured: so are all causes.
  ComparedSchedule stored = Stored, fused = Fused;
  stored.time.measured = 4e-6;
  const auto scaled = gui::compareSchedules(stored, fused, Causes);
  ASSERT_EQ(scaled.causes.size(), 2u);
  EXPECT_NEAR(scaled.causes[0].seconds, -2.5e-6, 1e-18);
  EXPECT_EQ(scaled.causes[0].sentence.toStdString(), "a −2.50 µs: computes 1 flop instead of 2");
  // What was measured of both is not what the model says.
  fused.time.measured = 3e-6;
  const auto measured = gui::compareSchedules(stored, fused, Causes);
  ASSERT_EQ(measured.causes.size(), 3u);
  EXPECT_EQ(measured.causes.back().name.toStdString(), "model error");
  EXPECT_NEAR(measured.from + sum_of(measured), measured.to, 1e-18);
}

class ComparisonOnThePage : public testing::Test {
 protected:
  // By the keyboard, as a person does.
  void choose(const QString& text) {
    box->setFocus();
    const int wanted = box->findText(text, Qt::MatchStartsWith);
    ASSERT_GE(wanted, 0) << text.toStdString();
    while (box->currentIndex() != wanted) {
      const int before = box->currentIndex();
      QTest::keyClick(box, wanted > before ? Qt::Key_Down : Qt::Key_Up);
      ASSERT_NE(box->currentIndex(), before);
    }
    driver.settle();
  }
  std::string summary() { return driver.find<QLabel>("comparisonSummary")->text().toStdString(); }
  QTreeView* rows() { return driver.find<QTreeView>("comparisonRows"); }

  SchedulePageDriver driver{"poisson_image_editing"};
  QComboBox* box = driver.find<QComboBox>("compareWith");
};

TEST_F(ComparisonOnThePage, OpensWithAChoiceAndClosesByItsTab) {
  EXPECT_FALSE(rows()->isVisible());
  choose("auto");
  ASSERT_TRUE(wait_until([this] { return rows()->isVisible(); })) << summary();
  EXPECT_TRUE(summary().find("default takes") == 0) << summary();
  EXPECT_GT(rows()->model()->rowCount(), 2);
  // What one schedule alone has is marked by a sign.
  const QAbstractItemModel& table = *rows()->model();
  const auto marked = table.match(table.index(0, 0), Qt::DisplayRole, "^[−+] ", 1,
                                  Qt::MatchRegularExpression | Qt::MatchRecursive);
  EXPECT_FALSE(marked.isEmpty());
  const auto* waterfall = driver.find<gui::Waterfall>("waterfall");
  EXPECT_TRUE(waterfall->isVisible());
  EXPECT_GT(waterfall->lineCount(), 3);
  EXPECT_TRUE(waterfall->accessibleDescription().startsWith("auto "))
      << waterfall->accessibleDescription().toStdString();
  const auto& compared = *driver.open.workspace.comparison().comparison().value;
  EXPECT_NEAR(compared.from + sum_of(compared), compared.to, 1e-3 * compared.from);
  auto* ways = driver.find<QTabBar>("scheduleWays");
  QTest::mouseClick(ways, Qt::LeftButton, {}, ways->tabRect(0).center());
  EXPECT_FALSE(rows()->isVisible());
  EXPECT_TRUE(driver.find<QTreeView>("siteTree")->isVisible());
}

TEST_F(ComparisonOnThePage, FollowsTheScheduleBeforeTheLastChange) {
  choose("the one before");
  EXPECT_TRUE(summary().find("There is no schedule before") == 0) << summary();
  driver.model().choose("strategy", "reg_down", "[JtJ]p");
  driver.settle();
  ASSERT_TRUE(wait_until([this] { return rows()->isVisible(); })) << summary();
  EXPECT_TRUE(summary().find("edited takes") == 0) << summary();
  EXPECT_EQ(box->currentText().toStdString(), "the one before (default)");
  driver.model().take("default", "");
  driver.settle();
  EXPECT_TRUE(summary().find("default takes") == 0) << summary();
}

TEST_F(ComparisonOnThePage, FollowsTheNameOfTheOtherSchedule) {
  driver.model().choose("strategy", "reg_down", "[JtJ]p");
  driver.settle();
  const gui::Kept kept = driver.model().kept();
  driver.model().take("default", "");
  driver.settle();
  choose("edited");
  ASSERT_TRUE(wait_until([this] { return rows()->isVisible(); }));
  gui::ScheduleShelf& shelf = driver.open.workspace.shelf();
  ASSERT_TRUE(shelf.rename(kept, "mine"));
  EXPECT_EQ(box->currentText().toStdString(), "mine");
  EXPECT_TRUE(rows()->isVisible());
  EXPECT_NE(summary().find(", mine takes"), std::string::npos) << summary();
  // What is called as it was called before is another one.
  shelf.add("edited", kept->text + "-- another\n");
  EXPECT_EQ(box->currentText().toStdString(), "mine");
  choose("the one before");
  EXPECT_EQ(box->currentText().toStdString(), "the one before (mine)");
  ASSERT_TRUE(shelf.rename(kept, "ours"));
  EXPECT_EQ(box->currentText().toStdString(), "the one before (ours)");
  choose("ours");
  shelf.remove(kept);
  EXPECT_EQ(box->currentText().toStdString(), "nothing");
}

TEST_F(ComparisonOnThePage, SelectsTheStepThatIsClicked) {
  choose("auto");
  ASSERT_TRUE(wait_until([this] { return rows()->isVisible(); }));
  const QAbstractItemModel& table = *rows()->model();
  const QModelIndex row = table.index(0, 0, table.index(2, 0));
  const QString label = row.data(Qt::UserRole).toString();
  ASSERT_FALSE(label.isEmpty());
  rows()->scrollTo(row);
  QTest::mouseClick(rows()->viewport(), Qt::LeftButton, {}, rows()->visualRect(row).center());
  EXPECT_EQ(driver.open.workspace.selection().current(),
            (gui::Selection{gui::Selection::Kind::Step, label}));
}

TEST_F(ComparisonOnThePage, ForgetsTheOtherScheduleWithItsProblem) {
  choose("auto");
  driver.open.workspace.open({.problem = "curve_fit", .device = "cpu"});
  driver.settle();
  EXPECT_EQ(driver.open.workspace.comparison().with(), gui::CompareWith());
  EXPECT_EQ(driver.open.workspace.comparison().comparison().state, gui::RemoteState::Empty);
}

}  // namespace
}  // namespace thallo::test
