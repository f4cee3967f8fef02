// An energy of one's own, in a folder with a .toml file and without C++, through the whole app.
#include "tests/gui/own_energy.h"

#include <gtest/gtest.h>
#include <QComboBox>
#include <QSpinBox>
#include <QTest>

#include "gui/app/main_window.h"
#include "gui/problem/energy_draft.h"
#include "gui/problem/view/problem_page.h"
#include "tests/gui/qt_environment.h"

namespace thallo::test {
namespace {

using State = gui::ExplorationModel::State;

class OwnEnergyInTheApp : public testing::Test {
 protected:
  OwnEnergyInTheApp() {
    EXPECT_TRUE(own.writeProblemFile());
    window.show();
    workspace.problems().rescan();
  }
  static bool is_open(gui::Workspace& in) {
    return wait_until([&] {
      return in.schedule().sites().isReady() ||
             in.problems().problem().state == gui::RemoteState::Failed;
    });
  }
  void click(const char* button) {
    QTest::mouseClick(window.currentPage().findChild<QPushButton*>(button), Qt::LeftButton);
  }

  const OwnEnergy own;
  gui::Workspace workspace{workspace_options()};
  gui::MainWindow window{workspace};
};

// Finds a page that knows only loaded problems: an energy of a user goes through all of them.
TEST_F(OwnEnergyInTheApp, IsOpenedExploredSolvedAndComesBackWithItsSession) {
  window.findChild<gui::ProblemPage*>()->openFile(own.problemFile());
  ASSERT_TRUE(is_open(workspace));
  ASSERT_EQ(workspace.problems().problem().error.toStdString(), "");
  EXPECT_EQ(workspace.problems().problem().value->request.problem, "own_energy");

  gui::SpaceModel& space = workspace.space();
  space.openStore(own.folder() + "/own.store");
  ASSERT_TRUE(window.showPage("space"));
  window.currentPage().findChild<QSpinBox*>("exploreSamples")->setValue(3);
  click("exploreButton");
  ASSERT_TRUE(wait_until([&] { return !space.exploration().isRunning(); }));
  EXPECT_EQ(space.exploration().state(), State::Done) << space.exploration().error().toStdString();
  ASSERT_TRUE(wait_until([&] { return space.space().isReady(); }));
  EXPECT_GE(space.space().value->byTime.size(), 3u);

  ASSERT_TRUE(window.showPage("solve"));
  window.currentPage().findChild<QComboBox*>("backend")->setCurrentText("cpu");
  click("solveButton");
  const gui::SolveModel& solve = workspace.solve();
  ASSERT_TRUE(wait_until([&] { return !solve.isRunning(); }));
  ASSERT_TRUE(solve.runs().isReady()) << solve.runs().error.toStdString();
  EXPECT_LT(solve.runs().value->runs.back().finalCost, solve.runs().value->runs.back().initialCost);

  const gui::SessionData left = workspace.session();
  EXPECT_EQ(left.problemFile, own.problemFile());
  gui::Workspace later(workspace_options());
  later.restore(left);
  ASSERT_TRUE(is_open(later));
  EXPECT_EQ(later.session(), left) << later.problems().problem().error.toStdString();
}

}  // namespace
}  // namespace thallo::test
