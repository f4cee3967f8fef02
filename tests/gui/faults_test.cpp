// What a page says when something beside the app fails, that it can be tried again, and that the
// rest goes on.
#include <csignal>
#include <string>

#include <unistd.h>

#include <gtest/gtest.h>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QMessageBox>
#include <QPushButton>
#include <QSpinBox>
#include <QTest>

#include "core/explore/store/sqlite/database.h"
#include "gui/app/main_window.h"
#include "tests/gui/qt_environment.h"
#include "tests/gui/space_records.h"
#include "tests/support/processes.h"
#include "tests/support/scoped_env.h"
#include "tests/support/temp_dir.h"

namespace thallo::test {
namespace {

using gui::RemoteState;
using Exploration = gui::ExplorationModel;

class Faults : public testing::Test {
 protected:
  // `group` is a residual group of the problem.
  explicit Faults(const gui::ProblemRequest& problem = small_poisson("cpu"),
                  const char* group = "reg_down")
      : open(problem), group(group) {
    window.resize(1200, 800);
    window.show();
  }
  gui::Page& page() { return window.currentPage(); }
  template <class T>
  T& child(const char* name) {
    T* found = page().findChild<T*>(name);
    EXPECT_NE(found, nullptr) << name;
    return *found;
  }
  void click(const char* button) {
    auto& its = child<QPushButton>(button);
    ASSERT_TRUE(its.isVisible() && its.isEnabled()) << button;
    QTest::mouseClick(&its, Qt::LeftButton);
  }
  void expect_said(const char* label, const std::string& words) {
    const auto& its = child<QLabel>(label);
    EXPECT_TRUE(its.isVisible());
    EXPECT_TRUE(its.text().contains(QString::fromStdString(words))) << its.text().toStdString();
  }
  // Another page answers as if nothing had happened.
  void expect_that_schedules_change() {
    gui::ScheduleModel& schedule = workspace.schedule();
    const QString before = schedule.schedule().value->hash;
    schedule.choose("strategy", group, "[JtJ]p");
    EXPECT_TRUE(wait_until([&] {
      return schedule.schedule().isReady() && schedule.schedule().value->hash != before;
    }));
  }

  TempDir folder;
  ScopedEnv cache{"THALLO_CACHE_DIR", folder.path().c_str()};
  OpenWorkspace open;
  const char* group;
  gui::Workspace& workspace = open.workspace;
  gui::MainWindow window{workspace};
};

TEST_F(Faults, TheGraphHasASimpleLayoutWithoutDot) {
  ASSERT_TRUE(window.showPage("graph"));
  ASSERT_TRUE(wait_until([this] { return page().isSettled(); }));
  const auto& caption = child<QLabel>("graphCaption");
  EXPECT_FALSE(caption.isVisible());
  {
    const ScopedEnv nowhere("PATH", "/nowhere");
    expect_that_schedules_change();
    ASSERT_TRUE(wait_until([&] { return caption.isVisible() && page().isSettled(); }));
    expect_said("graphCaption", "dot was not found");
    EXPECT_GT(page().itemCount(), 10);
  }
  click("retryLayout");
  EXPECT_TRUE(wait_until([&] { return !caption.isVisible(); }));
}

TEST_F(Faults, TheGraphHasASimpleLayoutWhenDotHangs) {
  ASSERT_TRUE(window.showPage("graph"));
  ASSERT_TRUE(wait_until([this] { return page().isSettled(); }));
  const auto& caption = child<QLabel>("graphCaption");
  const auto script = folder.write("dot", "#!/bin/sh\nexec sleep 600\n");
  std::filesystem::permissions(script, std::filesystem::perms::owner_all);
  gui::DotProcess& dot = workspace.graph().dot();
  dot.setTimeLimit(std::chrono::milliseconds(200));
  {
    const ScopedEnv hangs("PATH", (folder.path().string() + ":" + getenv("PATH")).c_str());
    expect_that_schedules_change();
    ASSERT_TRUE(wait_until([&] { return caption.isVisible() && page().isSettled(); }));
    expect_said("graphCaption", "made no layout");
  }
  dot.setTimeLimit(std::chrono::seconds(60));
  click("retryLayout");
  EXPECT_TRUE(wait_until([&] { return !caption.isVisible(); }));
}

TEST_F(Faults, KernelsAreCompiledAgainWhenTheirWorkerIsKilled) {
  ASSERT_TRUE(window.showPage("kernels"));
  gui::KernelModel& kernels = workspace.kernels();
  ASSERT_TRUE(wait_until(
      [&] { return kernels.kernels().isReady() && kernels.kernels().value->isCompiling; }));
  ASSERT_EQ(kill(static_cast<pid_t>(kernels.worker().processId()), SIGKILL), 0);
  ASSERT_TRUE(wait_until([this] { return page().state() == RemoteState::Failed; }));
  expect_said("notice", "was ended by signal 9 (Killed");
  expect_that_schedules_change();
  if (page().state() == RemoteState::Failed) click("noticeAction");
  EXPECT_TRUE(wait_until([this] { return page().isSettled(); }));
}

TEST_F(Faults, ARunIsMadeAgainWhenItsWorkerIsKilled) {
  ASSERT_TRUE(window.showPage("solve"));
  const gui::SolveModel& solve = workspace.solve();
  child<QComboBox>("backend").setCurrentText("cpu");
  for (const QString stage : {"compile", "solve"}) {
    SCOPED_TRACE(stage.toStdString());
    child<QLineEdit>("solverOptions").setText("lIterations=1000000");
    click("solveButton");
    ASSERT_TRUE(wait_until(
        [&] { return !solve.isRunning() || solve.runs().value->runs.back().stage == stage; }));
    ASSERT_TRUE(solve.isRunning()) << solve.runs().error.toStdString();
    ASSERT_EQ(kill(static_cast<pid_t>(solve.workerProcess()), SIGKILL), 0);
    ASSERT_TRUE(wait_until([&] { return !solve.isRunning(); }));
    EXPECT_EQ(page().state(), RemoteState::Failed);
    expect_said("notice", "was ended by signal 9 (Killed");
  }
  expect_that_schedules_change();
  child<QLineEdit>("solverOptions").setText("lIterations=1");
  click("noticeAction");
  ASSERT_TRUE(wait_until([&] { return !solve.isRunning(); }));
  EXPECT_EQ(page().state(), RemoteState::Ready) << page().message().toStdString();
}

TEST_F(Faults, AnExplorationGoesOnWhenAWorkerIsKilledThatMeasures) {
  workspace.open({.problem = "curve_fit", .device = "cpu"});
  ASSERT_TRUE(wait_until([this] { return workspace.schedule().sites().isReady(); }));
  workspace.space().openStore(QString::fromStdString((folder.path() / "a.store").string()));
  ASSERT_TRUE(window.showPage("space"));
  const Exploration& exploration = workspace.space().exploration();
  child<QSpinBox>("exploreWorkers").setValue(1);
  for (const QString doing : {"compiling schedules", "measuring steps"}) {
    SCOPED_TRACE(doing.toStdString());
    if (exploration.state() == Exploration::State::Idle) click("exploreButton");
    // The worker begins a little after it is said what it does.
    std::vector<int> workers;
    ASSERT_TRUE(wait_until([&] {
      if (exploration.progress().doing == doing) workers = children_of(getpid());
      return !exploration.isRunning() || !workers.empty();
    }));
    ASSERT_TRUE(exploration.isRunning()) << exploration.error().toStdString();
    for (const int worker : workers) kill(worker, SIGKILL);
  }
  ASSERT_TRUE(wait_until([&] { return !exploration.isRunning(); }));
  EXPECT_EQ(exploration.state(), Exploration::State::Done) << exploration.error().toStdString();
  ASSERT_TRUE(wait_until([this] { return page().state() == RemoteState::Ready; }));
  EXPECT_GE(page().itemCount(), 18);
  EXPECT_TRUE(workspace.space().space().value->failures.empty());
}

// Of curve_fit, whose space is counted at once.
class StoreFaults : public Faults {
 protected:
  StoreFaults() : Faults({.problem = "curve_fit", .device = "cpu"}, "fit") {}
  void show_store() {
    workspace.space().openStore(QString::fromStdString(file.string()));
    ASSERT_TRUE(window.showPage("space"));
    ASSERT_TRUE(wait_until([this] { return page().isSettled(); }));
  }
  void write() { write_space(file, *workspace.problems().problem().value); }
  void expect_that_it_is_read_again() {
    click("noticeAction");
    ASSERT_TRUE(wait_until([this] { return page().state() == RemoteState::Ready; }));
    EXPECT_EQ(page().itemCount(), 24);
  }
  // Has the file for itself until it is destroyed. Others do not wait long for that.
  class Lock {
   public:
    Lock(const std::filesystem::path& path, const char* mode)
        : m_database(Database::open(path, Database::Access::Write)) {
      EXPECT_TRUE(m_database);
      EXPECT_TRUE(m_database->run(std::string("PRAGMA locking_mode = ") + mode));
      EXPECT_TRUE(m_database->run("BEGIN EXCLUSIVE"));
      Database::set_patience(std::chrono::milliseconds(100));
    }
    ~Lock() { Database::set_patience(Database::DefaultPatience); }
    Lock(const Lock&) = delete;
    Lock& operator=(const Lock&) = delete;

   private:
    Expected<Database> m_database;
  };

  std::filesystem::path file = folder.path() / "made.store";
};

TEST_F(StoreFaults, ADamagedStoreIsReadAgain) {
  folder.write("made.store", std::string(4096, 'x'));
  show_store();
  expect_said("notice", "made.store");
  expect_that_schedules_change();
  std::filesystem::remove(file);
  write();
  expect_that_it_is_read_again();
}

TEST_F(StoreFaults, ALaterStoreIsReadAgain) {
  write();
  const auto set_version = [this](const std::string& version) {
    auto database = Database::open(file, Database::Access::Write);
    ASSERT_TRUE(database && database->run("PRAGMA user_version = " + version));
  };
  const auto version = Database::open(file, Database::Access::Read)->run("PRAGMA user_version");
  set_version("99");
  show_store();
  expect_said("notice", "later");
  expect_that_schedules_change();
  set_version(*version);
  expect_that_it_is_read_again();
}

TEST_F(StoreFaults, ALockedStoreIsReadAgain) {
  write();
  {
    const Lock other(file, "EXCLUSIVE");
    show_store();
    EXPECT_EQ(page().state(), RemoteState::Failed);
    expect_said("notice", "others have been writing");
    expect_that_schedules_change();
  }
  expect_that_it_is_read_again();
}

TEST_F(StoreFaults, AStoreThatOthersWriteIsExploredLater) {
  write();
  const Exploration& exploration = workspace.space().exploration();
  {
    const Lock other(file, "NORMAL");
    show_store();
    EXPECT_EQ(page().itemCount(), 24);
    child<QSpinBox>("exploreSamples").setValue(1);
    click("exploreButton");
    ASSERT_TRUE(wait_until([&] { return !exploration.isRunning(); }));
    EXPECT_EQ(exploration.state(), Exploration::State::Failed);
    expect_said("explorationFault", "others have been writing");
    EXPECT_TRUE(wait_until([this] { return page().state() == RemoteState::Ready; }));
  }
  click("exploreButton");
  ASSERT_TRUE(
      wait_until([&] { return !exploration.isRunning() || exploration.progress().total > 0; }));
  EXPECT_TRUE(exploration.isRunning()) << exploration.error().toStdString();
  EXPECT_FALSE(child<QLabel>("explorationFault").isVisible());
}

TEST_F(Faults, ResultsOfAProblemThatWasLeftAreDropped) {
  gui::SpaceModel& space = workspace.space();
  space.openStore(QString::fromStdString((folder.path() / "b.store").string()));
  ASSERT_TRUE(window.showPage("space"));
  space.explore({.samples = 5, .workers = 1});
  space.count("full");
  workspace.solve().start();
  workspace.graph().refresh();
  QStringList seen;
  QObject watcher;
  QObject::connect(&workspace.problems(), &gui::ProblemModel::problemChanged, &watcher, [&] {
    const auto& problem = workspace.problems().problem();
    if (problem.isReady()) seen.append(problem.value->request.problem);
  });
  workspace.open({.problem = "image_warping", .device = "cpu"});
  for (const char* running : {"runningSolve", "runningExploration"}) {
    auto* question = window.findChild<QMessageBox*>(running);
    ASSERT_NE(question, nullptr) << running;
    for (QAbstractButton* button : question->buttons()) {
      if (question->buttonRole(button) == QMessageBox::DestructiveRole)
        QTest::mouseClick(button, Qt::LeftButton);
    }
  }
  ASSERT_EQ(workspace.problems().request().problem, "image_warping");
  workspace.open({.problem = "curve_fit", .device = "cpu"});
  EXPECT_FALSE(space.exploration().isRunning());
  EXPECT_FALSE(workspace.solve().isRunning());
  EXPECT_EQ(space.counts().state, RemoteState::Empty);
  EXPECT_EQ(workspace.graph().graph().value, nullptr);
  ASSERT_TRUE(wait_until([this] {
    return window.isSettled() && workspace.problems().problem().isReady() &&
           workspace.graph().graph().isReady() && workspace.space().counts().isReady();
  }));
  EXPECT_EQ(seen, QStringList("curve_fit"));
  EXPECT_EQ(workspace.graph().graph().value->scheduleHash,
            workspace.schedule().schedule().value->hash);
  EXPECT_EQ(workspace.solve().runs().state, RemoteState::Empty);
  EXPECT_EQ(space.space().state, RemoteState::Empty);
  EXPECT_EQ(space.counts().value->total, "18");
}

}  // namespace
}  // namespace thallo::test
