#include "gui/workspace/view/inspector.h"

#include <algorithm>

#include <gtest/gtest.h>
#include <QApplication>
#include <QEnterEvent>
#include <QPushButton>
#include <QRadioButton>
#include <QScrollArea>
#include <QTest>

#include "gui/base/text.h"
#include "gui/schedule/choice_text.h"
#include "gui/schedule/view/time_strip.h"
#include "gui/schedule/view/way_bar.h"
#include "gui/widgets/theme.h"
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
  const auto priced = [this] {
    return std::ranges::find_if(sites(), [](const gui::SiteRow& row) {
      return row.choices.size() > 1 && row.choices.size() <= 12 && row.choices.front().change;
    });
  };
  ASSERT_TRUE(wait_until([&] { return priced() != sites().end(); }));
  open.workspace.selection().select({gui::Selection::Kind::Site, priced()->id()});
  inspector.show();
  // Times change while estimates give way to what is lowered.
  const auto cost_label = [&]() -> QLabel* {
    const auto labels = inspector.findChildren<QLabel*>();
    const auto found = std::ranges::find(labels, gui::costWords(*priced(), 0).time, &QLabel::text);
    return found == labels.end() ? nullptr : *found;
  };
  ASSERT_TRUE(wait_until(
      [&] { return !gui::ShownRefresh::isUnderWay(inspector) && cost_label() != nullptr; }));
  const auto buttons = inspector.findChildren<QRadioButton*>();
  ASSERT_FALSE(buttons.empty());
  for (QRadioButton* button : buttons) button->setText(QString(200, 'x'));
  inspector.resize(260, 600);
  const QScrollArea& scroll = *inspector.findChild<QScrollArea*>();
  EXPECT_TRUE(wait_until([&] { return scroll.widget()->width() <= scroll.viewport()->width(); }));
  const QLabel* cost = cost_label();
  ASSERT_NE(cost, nullptr);
  EXPECT_TRUE(scroll.viewport()->rect().contains(
      QRect(cost->mapTo(scroll.viewport(), QPoint()), cost->size())));
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
  inspector.show();
  ASSERT_TRUE(wait_until([this] { return !gui::ShownRefresh::isUnderWay(inspector); }));
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
  EXPECT_TRUE(best->accessibleName().contains(moves[0].edits.front().label));
  best->click();
  ASSERT_TRUE(
      wait_until([&] { return open.workspace.schedule().schedule().value->hash == leadsTo; }));
  EXPECT_LT(open.workspace.schedule().schedule().value->time.nonlinear, before);
  settle();
}

// Enter takes the first move and the keys stay at the first, until nothing is left to take.
TEST_F(InspectorTest, WalksDownByEnter) {
  open.workspace.schedule().take("default", "");
  inspector.show();
  QApplication::setActiveWindow(&inspector);
  gui::GuideModel& guide = open.workspace.guide();
  auto& first = *inspector.findChild<QPushButton*>("move0");
  const auto is_known = [&] { return guide.isWeighed() && !guide.isComing(); };
  ASSERT_TRUE(wait_until(is_known));
  first.setFocus(Qt::TabFocusReason);
  double before = open.workspace.schedule().schedule().value->time.nonlinear;
  int num_hidden = 0;  // how often the row is not there meanwhile
  for (int i = 0; i < 2; ++i) {
    ASSERT_FALSE(guide.moves().empty());
    EXPECT_EQ(first.text(), guide.moves().front().text);
    EXPECT_EQ(QApplication::focusWidget(), &first);
    const QString leads_to = guide.moves().front().hash;
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Return);
    ASSERT_TRUE(wait_until([&] {
      num_hidden += !is_known() && !first.isVisible() ? 1 : 0;
      return is_known() && open.workspace.schedule().schedule().value->hash == leads_to;
    }));
    const double after = open.workspace.schedule().schedule().value->time.nonlinear;
    EXPECT_LT(after, before);
    before = after;
  }
  EXPECT_EQ(num_hidden, 0);
  // Two steps, each to be undone by itself.
  for (int i = 0; i < 2; ++i) open.workspace.schedule().history().undo();
  EXPECT_EQ(open.workspace.schedule().schedule().value->text, "");
}

// What a move would do is shown where it would be after it, and nothing changes.
TEST_F(InspectorTest, TriesAMoveOutWhereThePointerRests) {
  open.workspace.schedule().take("default", "");
  gui::TimeStrip strip(open.workspace);
  inspector.show();
  gui::GuideModel& guide = open.workspace.guide();
  gui::ScheduleModel& schedule = open.workspace.schedule();
  ASSERT_TRUE(wait_until([&] { return guide.isWeighed() && !guide.isComing(); }));
  ASSERT_TRUE(wait_until([&] { return open.workspace.graph().graph().isReady(); }));
  schedule.times().setMeasurements({});
  schedule.refreshMeasured();
  const QString hash = schedule.schedule().value->hash, summary = strip.summary();
  ASSERT_GT(guide.moves().size(), 1u);
  const gui::GuideModel::Move move = guide.moves()[1];
  auto& row = *inspector.findChild<QPushButton*>("move1");
  QEnterEvent enter(QPointF(5, 5), QPointF(5, 5), QPointF(5, 5));
  QApplication::sendEvent(&row, &enter);
  EXPECT_EQ(schedule.trial().state, gui::RemoteState::Empty) << "it waits until the pointer rests";
  ASSERT_TRUE(wait_until([&] { return schedule.trial().isReady(); }));
  EXPECT_EQ(schedule.trial().value->snapshot->hash, move.hash);
  EXPECT_EQ(schedule.schedule().value->hash, hash);
  EXPECT_NE(strip.summary(), summary);
  EXPECT_EQ(strip.change(), gui::changeText(move.gain.change.from, move.gain.change.to));
  ASSERT_TRUE(wait_until([&] { return open.workspace.graph().preview() != nullptr; }));
  EXPECT_EQ(open.workspace.graph().preview()->trial.edits, move.edits);
  // The current schedule was measured meanwhile: what is tried out is scaled by that.
  schedule.times().setMeasurements([&](const QString& of) -> std::optional<gui::MeasuredTimes> {
    return of == hash ? std::optional(gui::MeasuredTimes{.nonlinear = 2e-3}) : std::nullopt;
  });
  schedule.refreshMeasured();
  EXPECT_TRUE(strip.summary().endsWith("scaled")) << strip.summary().toStdString();
  EXPECT_EQ(schedule.trial().value->change->from, 2e-3);
  schedule.times().setMeasurements({});
  schedule.refreshMeasured();
  QEvent leave(QEvent::Leave);
  QApplication::sendEvent(&row, &leave);
  EXPECT_EQ(schedule.trial().state, gui::RemoteState::Empty);
  EXPECT_EQ(strip.summary(), summary);
  EXPECT_EQ(open.workspace.graph().preview(), nullptr);
}

TEST_F(InspectorTest, SaysWhatAMoveDoesAndWhereItSaves) {
  open.workspace.schedule().take("default", "");
  gui::GuideModel& guide = open.workspace.guide();
  ASSERT_TRUE(wait_until([&] { return guide.isWeighed() && !guide.isComing(); }));
  const auto strategy = std::ranges::find_if(guide.moves(), [](const gui::GuideModel::Move& move) {
    return move.text.startsWith("strategy of ") && move.text.endsWith(": [JtJ]p");
  });
  ASSERT_NE(strategy, guide.moves().end());
  EXPECT_TRUE(strategy->split.startsWith("once +")) << strategy->split.toStdString();
  EXPECT_TRUE(strategy->split.contains(", linear −")) << strategy->split.toStdString();
  EXPECT_FALSE(strategy->isMeasured());
  // Once both are measured, that replaces what is estimated.
  const QString now = open.workspace.schedule().schedule().value->hash;
  const QString leads_to = strategy->hash;
  open.workspace.schedule().times().setMeasurements(
      [=](const QString& hash) -> std::optional<gui::MeasuredTimes> {
        if (hash == now) return gui::MeasuredTimes{.nonlinear = 2e-3};
        if (hash == leads_to) return gui::MeasuredTimes{.nonlinear = 1e-3};
        return std::nullopt;
      });
  open.workspace.schedule().refreshMeasured();
  ASSERT_FALSE(guide.moves().empty());
  const gui::GuideModel::Move& best = guide.moves().front();
  EXPECT_EQ(best.hash, leads_to);
  EXPECT_TRUE(best.isMeasured());
  EXPECT_DOUBLE_EQ(best.gain.share, 0.5);
  EXPECT_EQ(best.split, "");
}

// Its times are those of the device that is looked at.
TEST_F(InspectorTest, KeepsTheWayOnAnotherDevice) {
  gui::ScheduleModel& schedule = open.workspace.schedule();
  gui::WayModel& way = open.workspace.way();
  schedule.setText("r.reg_up:strategy(\"[JtJ]p\")");
  ASSERT_TRUE(wait_until([&] { return way.steps().size() == 2; }));
  const auto here = way.steps();
  open.workspace.lookOn("cpu");
  ASSERT_TRUE(wait_until([&] { return way.steps().empty(); }));
  ASSERT_TRUE(wait_until([&] { return way.steps().size() == 2 && way.current() == 1; }));
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(way.steps()[i].text, here[i].text);
    EXPECT_EQ(way.steps()[i].hash, here[i].hash);
    EXPECT_GT(way.steps()[i].time.nonlinear, 2 * here[i].time.nonlinear);
  }
  way.go(0);
  ASSERT_TRUE(wait_until([&] { return way.current() == 0 && way.steps().size() == 2; }));
  EXPECT_EQ(schedule.schedule().value->hash, here[0].hash);
  EXPECT_EQ(way.steps()[0].time.nonlinear, schedule.schedule().value->time.nonlinear);
  way.go(1);
  ASSERT_TRUE(wait_until([&] { return way.current() == 1 && way.steps().size() == 2; }));
  EXPECT_EQ(schedule.schedule().value->hash, here[1].hash);
}

// The way that was gone has every step with its time, and each can be gone back to.
TEST_F(InspectorTest, ShowsTheWayAndGoesBack) {
  gui::WayBar bar(open.workspace);
  bar.resize(1000, bar.sizeHint().height());
  gui::ScheduleModel& schedule = open.workspace.schedule();
  gui::WayModel& way = open.workspace.way();
  const auto is_known = [&] {
    return open.workspace.guide().isWeighed() && !open.workspace.guide().isComing();
  };
  ASSERT_TRUE(wait_until([&] { return is_known() && way.steps().size() == 1; }));
  EXPECT_FALSE(bar.isVisible());
  EXPECT_EQ(way.steps().front().text, "default");
  std::vector<QString> hashes = {schedule.schedule().value->hash};
  for (std::size_t i = 1; i <= 2; ++i) {
    ASSERT_FALSE(open.workspace.guide().moves().empty());
    open.workspace.guide().take(open.workspace.guide().moves().front());
    ASSERT_TRUE(wait_until([&] { return is_known() && way.steps().size() == i + 1; }));
    hashes.push_back(schedule.schedule().value->hash);
    EXPECT_EQ(way.current(), i);
    EXPECT_LT(way.steps()[i].time.nonlinear, way.steps()[i - 1].time.nonlinear);
    EXPECT_FALSE(way.steps()[i].text.isEmpty());
  }
  EXPECT_TRUE(bar.isVisible());
  auto& first = *bar.findChild<QToolButton*>("way1");
  for (const gui::Theme theme : {gui::Theme::Dark, gui::Theme::Light}) {
    gui::setTheme(theme);
    QCoreApplication::processEvents();
    EXPECT_EQ(first.palette().color(QPalette::ButtonText), gui::ink(gui::Ink::Text))
        << gui::toText(theme).toStdString();
  }
  EXPECT_TRUE(first.text().contains(gui::secondsText(way.steps()[1].time.seconds())));
  first.click();
  ASSERT_TRUE(wait_until([&] { return way.current() == 1; }));
  EXPECT_EQ(schedule.schedule().value->hash, hashes[1]);
  EXPECT_EQ(way.steps().size(), 3u) << "what was undone can be gone forward to";
  bar.findChild<QToolButton*>("way2")->click();
  ASSERT_TRUE(wait_until([&] { return way.current() == 2; }));
  EXPECT_EQ(schedule.schedule().value->hash, hashes[2]);
  // In a narrow bar the current step is there, and nothing goes beyond its end.
  bar.resize(300, bar.height());
  QCoreApplication::processEvents();
  EXPECT_TRUE(bar.findChild<QToolButton*>("way2")->isVisible());
  EXPECT_FALSE(bar.findChild<QToolButton*>("way1")->isVisible());
  // Another schedule that is taken begins another way.
  schedule.take("auto", open.workspace.problems().problem().value->schedules.back().text);
  ASSERT_TRUE(wait_until([&] { return way.steps().size() == 1; }));
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
