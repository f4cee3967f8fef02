// How long a person waits for what, against the limits that docs/measurements.md promises; on a
// walk through the app, gui_walk measures how long the window does not answer. A machine that is
// busy, or a build for debugging, may miss them, so ctest does not run this program.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include <gtest/gtest.h>
#include <QElapsedTimer>
#include <QFile>
#include <QGraphicsView>
#include <QTest>
#include <QTimer>

#include "core/explore/report/report.h"
#include "gui/app/main_window.h"
#include "gui/space/space_reader.h"
#include "tests/gui/mouse.h"
#include "tests/gui/qt_environment.h"
#include "tests/gui/space_records.h"

namespace thallo::test {
namespace {

const QElapsedTimer Started = [] {
  QElapsedTimer timer;
  timer.start();
  return timer;
}();

double ms_of(const QElapsedTimer& timer) { return static_cast<double>(timer.nsecsElapsed()) / 1e6; }

// Handles events until the condition holds, and returns the milliseconds that this took.
double ms_until(const std::function<bool()>& holds) {
  QTimer wake;  // makes the condition be checked even if nothing happens
  wake.start(2);
  QElapsedTimer timer;
  timer.start();
  while (!holds() && timer.elapsed() < 120'000)
    QCoreApplication::processEvents(QEventLoop::AllEvents | QEventLoop::WaitForMoreEvents);
  EXPECT_TRUE(holds());
  return ms_of(timer);
}

class Speed : public testing::Test {
 public:
  Speed() {
    window.resize(1440, 900);
    window.show();
    QCoreApplication::processEvents();
    shown = ms_of(Started);
    workspace.problems().rescan();
    ms_until([this] { return workspace.problems().catalog().isReady(); });
  }
  const gui::GraphSnapshot& graph() { return *workspace.graph().graph().value; }
  gui::ScheduleModel& schedule() { return workspace.schedule(); }
  bool is_laid_out() {
    const auto& graph = workspace.graph().graph();
    return graph.isReady() && graph.value->scheduleHash == schedule().schedule().value->hash;
  }
  void open(const QString& problem);
  double longest_edit();
  void show_many_nodes();
  double frames_per_second(QWidget* painted, const std::function<void(int)>& move);

  gui::Workspace workspace{workspace_options()};
  gui::MainWindow window{workspace};
  double shown = 0;
};

void Speed::open(const QString& problem) {
  workspace.open({.problem = problem}, "default");
  ms_until([this] {
    return schedule().schedule().isReady() ||
           workspace.problems().problem().state == gui::RemoteState::Failed;
  });
  ASSERT_TRUE(schedule().schedule().isReady())
      << workspace.problems().problem().error.toStdString();
}

// Of several changes of different kinds, made one right after the other.
double Speed::longest_edit() {
  double longest = 0;
  const auto table = schedule().sites().value;
  const std::size_t stride = std::max<std::size_t>(1, table->sites.size() / 12);
  for (std::size_t i = 0; i < table->sites.size(); i += stride) {
    const gui::SiteRow& site = table->sites[i];
    const auto other = std::ranges::find_if(site.choices, [&](const gui::ChoiceRow& choice) {
      return choice.illegal.isEmpty() && !choice.isRepeated &&
             choice.label != site.choices[site.chosen].label;
    });
    if (other == site.choices.end()) continue;
    const QString before = schedule().schedule().value->hash;
    bool is_refused = false;
    const auto heard = QObject::connect(&schedule(), &gui::ScheduleModel::refused,
                                        [&](const QString&) { is_refused = true; });
    schedule().choose(site.construct, site.name, other->label);
    const double took = ms_until([&] {
      const auto& now = schedule().schedule();
      return now.isReady() && (now.value->hash != before || is_refused);
    });
    QObject::disconnect(heard);
    if (!is_refused) longest = std::max(longest, took);
  }
  return longest;
}

// The nodes of the open problem again and again, in a grid, each with the one before it.
void Speed::show_many_nodes() {
  constexpr int Count = 2000, PerRow = 50;
  auto many = std::make_shared<gui::GraphSnapshot>();
  many->scheduleHash = graph().scheduleHash;
  for (int i = 0; i < Count; ++i) {
    gui::GraphNode node = graph().nodes[static_cast<std::size_t>(i) % graph().nodes.size()];
    node.id += QString::number(i);
    node.box.moveTopLeft(QPointF(180.0 * (i % PerRow), 90.0 * (i / PerRow)));
    many->bounds |= node.box;
    if (i % PerRow > 0) {
      const QPointF from = many->nodes.back().box.center(), to = node.box.center();
      many->edges.push_back({.from = many->nodes.size() - 1,
                             .to = many->nodes.size(),
                             .spline = {from, from, to, to}});
    }
    many->nodes.push_back(std::move(node));
  }
  workspace.graph().show(many);
  ms_until([this] { return window.currentPage().isSettled(); });
}

double Speed::frames_per_second(QWidget* painted, const std::function<void(int)>& move) {
  constexpr int Frames = 96;
  QElapsedTimer timer;
  timer.start();
  for (int frame = 0; frame < Frames; ++frame) {
    move(frame);
    QCoreApplication::processEvents();
    painted->repaint();
  }
  return 1e3 * Frames / ms_of(timer);
}

TEST_F(Speed, OfTheStart) { EXPECT_LT(shown, 1000); }

TEST_F(Speed, OfEditsAndLayoutsOfEveryProblem) {
  std::printf("%-34s %9s %9s %9s %6s\n", "ms until", "edited", "laid out", "expanded", "nodes");
  const auto catalog = workspace.problems().catalog().value;
  for (const gui::ProblemCard& card : catalog->problems) {
    SCOPED_TRACE(card.name.toStdString());
    ASSERT_NO_FATAL_FAILURE(open(card.name));
    const double laid_out = ms_until([this] { return is_laid_out(); });
    ms_until([this] {
      return schedule().sites().isReady() && !workspace.analysisRunner().isBusy("weights");
    });
    const double edited = longest_edit();
    ms_until([this] { return is_laid_out(); });
    QStringList all;
    for (const gui::GraphNode& node : graph().nodes)
      if (node.canExpand) all << node.id;
    workspace.graph().setExpanded(all);
    const double expanded = ms_until([this] { return is_laid_out(); });
    const std::size_t num_nodes = graph().nodes.size();
    std::printf("%-34s %9.1f %9.1f %9.1f %6zu\n", qUtf8Printable(card.name), edited, laid_out,
                expanded, num_nodes);
    EXPECT_LT(edited, 100);
    EXPECT_LT(laid_out, 1000);
    if (num_nodes <= 600) {
      EXPECT_LT(expanded, 3000);
    }
  }
  QFile status("/proc/self/status");
  ASSERT_TRUE(status.open(QIODevice::ReadOnly));
  for (const QByteArray& line : status.readAll().split('\n'))
    if (line.startsWith("VmHWM:")) {
      EXPECT_LT(line.simplified().split(' ').value(1).toInt(), 500'000) << "kilobytes at most";
    }
}

// By mouse and wheel, with a paint after each event.
TEST_F(Speed, OfMovingAndZoomingManyNodes) {
  ASSERT_NO_FATAL_FAILURE(open("bundle_fusion"));
  ms_until([this] { return is_laid_out(); });
  window.showPage("graph");
  show_many_nodes();
  QWidget* viewport = window.findChild<QGraphicsView*>("graphView")->viewport();
  const double zoomed = frames_per_second(
      viewport, [&](int frame) { turn_wheel(viewport, frame % 24 < 12 ? 120 : -120); });
  for (int i = 0; i < 4; ++i) turn_wheel(viewport, 120);
  const auto at = [middle = viewport->rect().center()](int frame) {
    return middle + QPoint(static_cast<int>(200 * std::cos(0.1 * frame)),
                           static_cast<int>(200 * std::sin(0.1 * frame)));
  };
  QTest::mousePress(viewport, Qt::LeftButton, {}, at(0));
  const double moved =
      frames_per_second(viewport, [&](int frame) { move_to(viewport, at(frame)); });
  QTest::mouseRelease(viewport, Qt::LeftButton, {}, at(0));
  std::printf("%.0f and %.0f frames per second\n", zoomed, moved);
  EXPECT_GE(zoomed, 30);
  EXPECT_GE(moved, 30);
}

// From results to a painted page.
TEST_F(Speed, OfShowingManySchedules) {
  window.showPage("space");
  ms_until([this] { return window.currentPage().isSettled(); });
  DeviceReport report = many_candidates(100'000);
  QElapsedTimer timer;
  timer.start();
  add_effects(report);
  workspace.space().show(gui::spaceSnapshot(report));
  window.currentPage().grab();
  std::printf("%.0f ms\n", ms_of(timer));
  EXPECT_LT(ms_of(timer), 1000);
}

}  // namespace
}  // namespace thallo::test
