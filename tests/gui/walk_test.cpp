// The path that a person takes through the whole app: open a problem, change a schedule at the graph,
// read what it costs, explore, take the best, solve with it, save the session, and find everything as
// it was left. Meanwhile a watchdog looks at how long the window's thread works at a stretch.
#include <ctime>

#include <gtest/gtest.h>
#include <QComboBox>
#include <QGraphicsView>
#include <QLineEdit>
#include <QListView>
#include <QPushButton>
#include <QSpinBox>
#include <QTabBar>
#include <QTableView>
#include <QTest>
#include <QTimer>

#include "gui/app/main_window.h"
#include "gui/views/graph_page.h"
#include "gui/views/time_strip.h"
#include "tests/gui/qt_environment.h"
#include "tests/support/temp_dir.h"

namespace thallo::test {
namespace {

using gui::GraphNode;
using gui::RemoteState;

// The longest time that the thread has worked from one turn of the event loop to the next. Time that
// others take the processor is none of its own: what it uses itself is counted.
class Watchdog {
 public:
  Watchdog() {
    QObject::connect(&timer_, &QTimer::timeout, [this] { look(); });
    timer_.start(0);
  }
  double longest_ms() const { return longest_; }

 private:
  static double used_ms() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return 1e3 * static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e6;
  }
  void look() {
    const double now = used_ms();
    if (last_ > 0) longest_ = std::max(longest_, now - last_);
    last_ = now;
  }

  QTimer timer_;
  double last_ = 0, longest_ = 0;
};

class Walk : public testing::Test {
 protected:
  Walk() : workspace(options()), window(workspace) {
    window.resize(1440, 900);
    window.show();
    workspace.problems().rescan();
  }
  gui::WorkspaceOptions options() const {
    gui::WorkspaceOptions result = workspace_options();
    result.store = QString::fromStdString((folder.path() / "walk.store").string());
    return result;
  }
  template <class T>
  T& child(const char* name) {
    T* found = window.findChild<T*>(name);
    EXPECT_NE(found, nullptr) << name;
    return *found;
  }
  gui::ScheduleModel& schedule() { return workspace.schedule(); }
  bool is_settled() {
    return window.isSettled() && workspace.graph().graph().isReady() &&
           workspace.graph().graph().value->scheduleHash == schedule().schedule().value->hash;
  }
  void settle() {
    ASSERT_TRUE(wait_until([this] { return is_settled(); }));
  }
  void show(const char* page) { ASSERT_TRUE(window.showPage(page)); }

  // Double clicks the card of a problem.
  void open_problem(const char* name) {
    show("problem");
    ASSERT_TRUE(wait_until([this] { return workspace.problems().catalog().isReady(); }));
    auto& line = child<QLineEdit>("problemSearch");
    QTest::keyClicks(&line, name);
    auto& cards = child<QListView>("problemCards");
    ASSERT_TRUE(wait_until([&] { return cards.model()->rowCount() == 1; }));
    const QPoint card = cards.visualRect(cards.model()->index(0, 0)).center();
    QTest::mouseClick(cards.viewport(), Qt::LeftButton, {}, card);
    QTest::mouseDClick(cards.viewport(), Qt::LeftButton, {}, card);
    ASSERT_TRUE(wait_until([this] { return workspace.problems().problem().isReady(); }));
    settle();
  }

  // Clicks the slabs of the first intermediate.
  void store_an_intermediate() {
    show("graph");
    auto& view = child<gui::GraphView>("graphView");
    for (QGraphicsItem* item : view.items()) {
      const auto* node = dynamic_cast<gui::NodeItem*>(item);
      if (node == nullptr || node->node().kind != DagKind::Intermediate) continue;
      const QPoint slab = view.mapFromScene(node->mapToScene(node->storeArea().center()));
      QTest::mouseClick(view.viewport(), Qt::LeftButton, {}, slab);
      return;
    }
    FAIL() << "there is no intermediate";
  }

  TempDir folder;
  gui::Workspace workspace;
  gui::MainWindow window;
};

TEST_F(Walk, LeadsFromAProblemToASolvedScheduleAndBack) {
  open_problem("bundle_adjustment");
  Watchdog watchdog;
  auto& strip = child<gui::TimeStrip>("timeStrip");
  const QString before = strip.summary();
  const QString text_before = schedule().schedule().value->text;

  store_an_intermediate();
  ASSERT_TRUE(wait_until([&] { return schedule().name() == "edited"; }));
  settle();
  EXPECT_NE(strip.summary(), before);
  EXPECT_NE(schedule().schedule().value->text, text_before);

  schedule().setText(text_before + "r.nothing:strategy(\"[JtJ]p\")\n");
  ASSERT_TRUE(wait_until([&] { return !schedule().faults().empty(); }));
  EXPECT_EQ(schedule().faults().front().line, 1 + text_before.count('\n'));

  show("space");
  child<QSpinBox>("exploreSamples").setValue(2);
  QTest::mouseClick(&child<QPushButton>("exploreButton"), Qt::LeftButton);
  ASSERT_TRUE(wait_until([&] { return workspace.space().exploration().isRunning(); }));
  QTest::mouseClick(&child<QPushButton>("pauseButton"), Qt::LeftButton);
  using State = gui::ExplorationModel::State;
  const auto& exploration = workspace.space().exploration();
  ASSERT_TRUE(wait_until([&] { return exploration.state() == State::Paused; }));
  QTest::mouseClick(&child<QPushButton>("pauseButton"), Qt::LeftButton);
  ASSERT_TRUE(
      wait_until([&] { return exploration.state() == State::Done; }, std::chrono::seconds(240)))
      << exploration.error().toStdString();
  ASSERT_TRUE(wait_until([&] { return workspace.space().space().isReady(); }));

  auto& table = child<QTableView>("candidateTable");
  ASSERT_GT(table.model()->rowCount(), 0);
  const gui::SpaceSnapshot& space = *workspace.space().space().value;
  const QString best = space.hash[*space.best()];
  workspace.takeCandidate(best);
  ASSERT_TRUE(wait_until([&] {
    return schedule().schedule().isReady() && schedule().schedule().value->hash == best;
  }));
  EXPECT_TRUE(strip.summary().contains("measured")) << strip.summary().toStdString();

  show("solve");
  child<QLineEdit>("solverOptions").setText("nIterations=1 lIterations=5");
  QTest::mouseClick(&child<QPushButton>("solveButton"), Qt::LeftButton);
  ASSERT_TRUE(
      wait_until([&] { return workspace.solve().runs().isReady(); }, std::chrono::seconds(120)))
      << workspace.solve().runs().error.toStdString();
  EXPECT_EQ(workspace.solve().runs().value->runs.back().scheduleText,
            schedule().schedule().value->text);

  const QString file = QString::fromStdString((folder.path() / "walk.thallo-session").string());
  ASSERT_TRUE(window.saveSession(file));
  const gui::SessionData left = workspace.session();
  workspace.open({.problem = "curve_fit"});
  ASSERT_TRUE(window.openSession(file));
  settle();
  EXPECT_EQ(workspace.session(), left);
  EXPECT_EQ(window.currentPage().id(), "solve");
  EXPECT_LT(watchdog.longest_ms(), 50) << "the window's thread was busy for too long";
}

}  // namespace
}  // namespace thallo::test
