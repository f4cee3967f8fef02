#include "gui/workspace/view/inspector.h"

#include <algorithm>

#include <gtest/gtest.h>
#include <QPushButton>
#include <QRadioButton>
#include <QScrollArea>

#include "gui/schedule/choice_text.h"
#include "tests/gui/qt_environment.h"

namespace thallo::test {
namespace {

class InspectorTest : public testing::Test {
 protected:
  void settle() {
    ASSERT_TRUE(wait_until([this] {
      return open.workspace.schedule().sites().isReady() &&
             !open.workspace.analysisRunner().isBusy("weights");
    }));
  }
  const std::vector<gui::SiteRow>& sites() {
    return open.workspace.schedule().sites().value->sites;
  }

  OpenWorkspace open{{.problem = "image_warping", .device = "h200"}};
  gui::Inspector inspector{open.workspace};
};

TEST_F(InspectorTest, ShowsTheCostsOfChoicesThatHaveLongNames) {
  settle();
  const auto site = std::ranges::find_if(sites(), [](const gui::SiteRow& row) {
    return row.choices.size() > 1 && row.choices.size() <= 12 && row.choices.front().seconds;
  });
  ASSERT_NE(site, sites().end());
  open.workspace.selection().select({gui::Selection::Kind::Site, site->id()});
  const auto buttons = inspector.findChildren<QRadioButton*>();
  ASSERT_FALSE(buttons.empty());
  for (QRadioButton* button : buttons) button->setText(QString(200, 'x'));
  inspector.resize(260, 600);
  inspector.show();
  QCoreApplication::processEvents();
  const QScrollArea& scroll = *inspector.findChild<QScrollArea*>();
  EXPECT_LE(scroll.widget()->width(), scroll.viewport()->width());
  const QString cost = gui::costWords(*site, 0).time;
  const auto labels = inspector.findChildren<QLabel*>();
  const auto found = std::ranges::find(labels, cost, &QLabel::text);
  ASSERT_NE(found, labels.end());
  EXPECT_TRUE(scroll.viewport()->rect().contains(
      QRect((*found)->mapTo(scroll.viewport(), QPoint()), (*found)->size())));
}

TEST_F(InspectorTest, SaysThatTheNewScheduleLacksTheStepThatIsSelected) {
  settle();
  gui::ScheduleModel& schedule = open.workspace.schedule();
  schedule.setText("r.reg_up:strategy(\"[JtJ]p\")");
  ASSERT_TRUE(wait_until([&] { return schedule.text().contains("[JtJ]p"); }));
  settle();
  QString step;
  for (const gui::TimeSegment& segment : schedule.schedule().value->time.segments)
    if (segment.label.contains("jtj") && !segment.label.contains("jtjp")) step = segment.label;
  ASSERT_FALSE(step.isEmpty());
  open.workspace.selection().select({gui::Selection::Kind::Step, step});
  EXPECT_EQ(open.workspace.inspector().current()->note, "");
  EXPECT_FALSE(open.workspace.inspector().current()->rows.empty());
  schedule.history().undo();
  EXPECT_EQ(open.workspace.inspector().current()->title, step);
  EXPECT_TRUE(open.workspace.inspector().current()->rows.empty());
  EXPECT_EQ(open.workspace.inspector().current()->note,
            "An iteration of this schedule has no such step.");
}

TEST_F(InspectorTest, NamesASiteThatIsSelectedWithoutAnythingToDecide) {
  settle();
  open.workspace.selection().select({gui::Selection::Kind::Site, "strategy@nowhere"});
  const auto labels = inspector.findChildren<QLabel*>();
  const auto says = [&](const QString& text) {
    return std::ranges::find(labels, text, &QLabel::text) != labels.end();
  };
  EXPECT_TRUE(says("nowhere"));
  EXPECT_TRUE(says("This schedule has nothing to decide there."));
  EXPECT_FALSE(says("Nothing is selected"));
}

TEST_F(InspectorTest, OffersTheNextBestMovesWhenNothingIsSelected) {
  settle();
  open.workspace.schedule().take("default", "");
  ASSERT_TRUE(wait_until([&] { return open.workspace.guide().isWeighed(); }));
  settle();
  const auto& moves = open.workspace.guide().moves();
  ASSERT_GT(moves.size(), 1u);
  EXPECT_GE(moves[0].gain.share, moves[1].gain.share);
  const double before = open.workspace.schedule().schedule().value->time.nonlinear;
  const QString leadsTo = moves[0].hash;
  QCoreApplication::processEvents();
  auto* best = inspector.findChild<QPushButton*>("move0");
  ASSERT_NE(best, nullptr);
  EXPECT_TRUE(best->accessibleName().contains(moves[0].label));
  best->click();
  ASSERT_TRUE(
      wait_until([&] { return open.workspace.schedule().schedule().value->hash == leadsTo; }));
  EXPECT_LT(open.workspace.schedule().schedule().value->time.nonlinear, before);
  settle();
}

TEST_F(InspectorTest, FollowsMovesUntilNothingHelps) {
  settle();
  open.workspace.schedule().take("default", "");
  ASSERT_TRUE(wait_until([&] { return open.workspace.guide().isWeighed(); }));
  settle();
  const double before = open.workspace.schedule().schedule().value->time.nonlinear;
  QCoreApplication::processEvents();
  auto* follow = inspector.findChild<QPushButton*>("followMoves");
  ASSERT_NE(follow, nullptr);
  follow->click();
  ASSERT_TRUE(wait_until([&] { return open.workspace.guide().isFollowing(); }));
  ASSERT_TRUE(wait_until([&] { return !open.workspace.guide().isFollowing(); }));
  EXPECT_LT(open.workspace.schedule().schedule().value->time.nonlinear, before);
  EXPECT_TRUE(open.workspace.guide().isWeighed());
  for (const auto& move : open.workspace.guide().moves())
    EXPECT_TRUE(move.gain.changesNumerics || move.gain.share < 0.005);
  // Each step can be undone by itself.
  EXPECT_TRUE(open.workspace.schedule().history().canUndo());
  settle();
}

}  // namespace
}  // namespace thallo::test
