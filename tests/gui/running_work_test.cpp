// Solves, explorations and measurements: every way to stop one by leaving its problem asks first.
#include "gui/workspace/view/running_work.h"

#include <functional>

#include <gtest/gtest.h>
#include <QMessageBox>
#include <QPushButton>
#include <QTest>

#include "gui/app/main_window.h"
#include "tests/gui/qt_environment.h"
#include "tests/support/temp_dir.h"

namespace thallo::test {
namespace {

class RunningSolve : public testing::Test {
 protected:
  RunningSolve() {
    window.show();
    solve.setSettings({.backend = "interpreter", .solverOptions = {{"lIterations", "100000"}}});
    solve.start();
    EXPECT_TRUE(solve.isRunning());
  }
  // Returns the open question, or null if nothing is asked.
  QMessageBox* question(const char* name = "runningSolve") {
    QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
    for (auto* box : window.findChildren<QMessageBox*>(name))
      if (box->isVisible()) return box;
    return nullptr;
  }
  void answer(const QString& words) {
    QMessageBox* box = question();
    ASSERT_NE(box, nullptr) << "nothing was asked";
    for (QAbstractButton* button : box->buttons())
      if (button->text().remove('&') == words) return QTest::mouseClick(button, Qt::LeftButton);
    FAIL() << "no button " << words.toStdString();
  }
  bool is_open(const QString& problem) {
    const gui::ProblemModel& problems = workspace.problems();
    return problems.request().problem == problem && problems.problem().isReady();
  }

  const gui::ProblemRequest other{.problem = "curve_fit", .device = "cpu"};
  const TempDir folder;
  OpenWorkspace open{small_poisson("cpu")};
  gui::Workspace& workspace = open.workspace;
  gui::SolveModel& solve = workspace.solve();
  gui::MainWindow window{workspace};
};

TEST_F(RunningSolve, IsAskedForByEveryWayToAnotherProblem) {
  const QString session = QString::fromStdString((folder.path() / "a.thallo-session").string());
  ASSERT_TRUE(window.saveSession(session));
  const std::vector<std::function<void()>> ways = {
      [&] { workspace.open(other); },
      [&] {
        workspace.openRecent({other, {}});
      },
      [&] { workspace.openFile("/nowhere.toml"); },
      [&] { window.openSession(session); },
      [&] { workspace.lookOn("h200"); },
      [&] { workspace.retry(); },
      [&] { window.close(); },
  };
  ASSERT_TRUE(window.showPage("solve"));
  for (std::size_t i = 0; i < ways.size(); ++i) {
    ways[i]();
    ASSERT_NO_FATAL_FAILURE(answer("Stay")) << "way " << i;
    EXPECT_EQ(question(), nullptr) << "way " << i;
    EXPECT_TRUE(solve.isRunning()) << "way " << i;
    EXPECT_TRUE(is_open("poisson_image_editing")) << "way " << i;
    EXPECT_EQ(window.currentPage().id(), "solve") << "way " << i;
    EXPECT_TRUE(window.isVisible()) << "way " << i;
  }
}

TEST_F(RunningSolve, IsStoppedOnRequest) {
  workspace.open(other);
  EXPECT_TRUE(question()->text().contains("Run 1, of the schedule “default”, is running."));
  answer("Stop it and leave");
  ASSERT_TRUE(wait_until([&] { return is_open("curve_fit"); }));
  EXPECT_FALSE(solve.isRunning());
  workspace.open(small_poisson("cpu"));
  EXPECT_EQ(question(), nullptr) << "nothing runs";
}

TEST_F(RunningSolve, IsNoQuestionAnyMoreWhenItHasEnded) {
  window.close();
  solve.cancel();
  ASSERT_TRUE(wait_until([&] { return !solve.isRunning(); }));
  EXPECT_EQ(question()->text().toStdString(), "Run 1 has ended meanwhile.");
  answer("Leave");
  EXPECT_FALSE(window.isVisible());
}

TEST_F(RunningSolve, IsStoppedByClosingOnRequest) {
  EXPECT_FALSE(window.close());
  answer("Stop it and leave");
  EXPECT_FALSE(window.isVisible());
}

// Two questions, and the run goes on until both are answered.
TEST_F(RunningSolve, IsAskedForBeforeTextThatIsNotSaved) {
  workspace.energyText().setText("-- mine");
  window.close();
  EXPECT_EQ(question("unsavedEnergy"), nullptr);
  answer("Stop it and leave");
  QMessageBox* unsaved = question("unsavedEnergy");
  ASSERT_NE(unsaved, nullptr);
  QTest::mouseClick(unsaved->button(QMessageBox::Cancel), Qt::LeftButton);
  EXPECT_TRUE(window.isVisible());
  EXPECT_TRUE(solve.isRunning());
  window.close();
  answer("Stop it and leave");
  QTest::mouseClick(question("unsavedEnergy")->button(QMessageBox::Discard), Qt::LeftButton);
  EXPECT_FALSE(window.isVisible());
}

// What writes to a store.
class RunningMeasurement : public testing::Test {
 protected:
  RunningMeasurement() {
    space.openStore(QString::fromStdString((folder.path() / "a.store").string()));
    window.show();
  }
  QMessageBox* question(const char* name) {
    QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
    for (auto* box : window.findChildren<QMessageBox*>(name))
      if (box->isVisible()) return box;
    return nullptr;
  }
  // Leaves the problem in two ways, stays, and goes.
  void expect_asked(const char* name, const std::function<bool()>& is_running) {
    const std::vector<std::function<void()>> ways = {
        [&] { open.workspace.lookOn("h200"); }, [&] { window.close(); },
        [&] { open.workspace.open({.problem = "procrustes_alignment", .device = "cpu"}); }};
    for (std::size_t i = 0; i < ways.size(); ++i) {
      ASSERT_TRUE(is_running()) << i;
      ways[i]();
      ASSERT_NE(question(name), nullptr) << i;
      EXPECT_TRUE(window.isVisible()) << i;
      const bool stays = i + 1 < ways.size();
      for (QAbstractButton* button : question(name)->buttons())
        if (button->text().remove('&') == (stays ? "Stay" : "Stop it and leave"))
          QTest::mouseClick(button, Qt::LeftButton);
    }
    EXPECT_FALSE(is_running());
    EXPECT_EQ(open.workspace.problems().request().problem, "procrustes_alignment");
    EXPECT_TRUE(window.close()) << "nothing runs";
  }

  const TempDir folder;
  OpenWorkspace open{{.problem = "curve_fit", .device = "cpu"}};
  gui::SpaceModel& space = open.workspace.space();
  gui::MainWindow window{open.workspace};
};

TEST_F(RunningMeasurement, OfManySchedulesIsAskedFor) {
  space.explore({.samples = 1000, .budgetMinutes = 0, .workers = 1});
  expect_asked("runningExploration", [&] { return space.exploration().isUnderWay(); });
}

TEST_F(RunningMeasurement, OfManySchedulesThatIsPausedIsAskedFor) {
  space.explore({.samples = 1000, .budgetMinutes = 0, .workers = 1});
  space.exploration().pause();
  ASSERT_TRUE(wait_until([&] { return !space.exploration().isRunning(); }));
  ASSERT_EQ(space.exploration().state(), gui::ExplorationModel::State::Paused);
  expect_asked("runningExploration", [&] { return space.exploration().isUnderWay(); });
}

TEST_F(RunningMeasurement, OfOneScheduleIsAskedFor) {
  open.workspace.measure();
  expect_asked("runningMeasurement", [&] { return space.measurement().isRunning(); });
}

}  // namespace
}  // namespace thallo::test
