// Somebody new takes the whole way through the app with an energy and a picture of their own, by
// mouse and keys; see gui/app/walk.h. Meanwhile the window is never busy for long.
#include <gtest/gtest.h>
#include <QTest>

#include "gui/app/block_meter.h"
#include "gui/app/walk.h"
#include "tests/gui/qt_environment.h"
#include "tests/gui/walk_driver.h"
#include "tests/support/temp_dir.h"

namespace thallo::test {
namespace {

TEST(WalkFromTheStart, LeadsAnEnergyOfOnesOwnToItsSolve) {
  const TempDir folder;
  gui::Workspace workspace(workspace_options());
  gui::MainWindow window(workspace);
  window.resize(1280, 800);
  window.show();
  window.activateWindow();
  ASSERT_TRUE(QTest::qWaitForWindowActive(&window));
  workspace.problems().rescan();
  ASSERT_TRUE(wait_until([&] { return workspace.problems().catalog().isReady(); }));
  gui::Walk walk(window, workspace, QString::fromStdString(folder.path().string()));
  gui::BlockMeter meter;
  for (const gui::Walk::Step& step : walk.steps()) {
    SCOPED_TRACE(step.name.toStdString());
    meter.begin();
    ASSERT_EQ(step.go().toStdString(), "");
    EXPECT_LT(meter.longest().ms, LongestBlockMs) << meter.longest().text().toStdString();
  }
}

}  // namespace
}  // namespace thallo::test
