// What the schedules would take at other sizes, with other solves and on other devices.
#include "gui/schedule/what_if_model.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <QLabel>
#include <QSlider>
#include <QTabBar>
#include <QTableWidget>
#include <QTest>

#include "gui/app/main_window.h"
#include "tests/gui/qt_environment.h"

namespace thallo::test {
namespace {

using ::testing::SizeIs;

class WhatIfTest : public testing::Test {
 protected:
  gui::WhatIfModel& model() { return open.workspace.whatIf(); }
  bool is_ready() {
    return wait_until([this] { return model().result().isReady(); });
  }
  OpenWorkspace open{{.problem = "image_warping", .device = "h200"}};
};

TEST_F(WhatIfTest, PredictsOnlyWhileItIsShown) {
  EXPECT_EQ(model().result().state, gui::RemoteState::Empty);
  model().setShown(true);
  ASSERT_TRUE(is_ready());
  const gui::WhatIfSnapshot& result = *model().result().value;
  ASSERT_GE(result.amounts.size(), 5u);
  EXPECT_TRUE(std::ranges::is_sorted(result.amounts));
  EXPECT_EQ(result.lines.back().name, "auto, chosen there");
  for (const gui::WhatIfLine& line : result.lines)
    EXPECT_THAT(line.seconds, SizeIs(result.amounts.size())) << line.name.toStdString();
  const double here = open.workspace.schedule().schedule().value->time.nonlinear;
  const auto current =
      std::ranges::find(result.lines, open.workspace.schedule().name(), &gui::WhatIfLine::name);
  ASSERT_NE(current, result.lines.end());
  EXPECT_DOUBLE_EQ(current->seconds[result.here], here);
  EXPECT_TRUE(result.notes.join(' ').contains("auto would choose all 5 residuals [JtJ]p; from W "))
      << result.notes.join(' ').toStdString();
  ASSERT_GE(result.devices.size(), 3u);
  EXPECT_EQ(result.devices.front().first, "NVIDIA H200");
  EXPECT_THAT(result.devices.front().second, SizeIs(result.lines.size() - 1));
}

TEST_F(WhatIfTest, VariesLinearIterationsAndFollowsTheSchedule) {
  model().setShown(true);
  model().setAxis(WhatIfAxis::LinearIterations);
  ASSERT_TRUE(is_ready());
  EXPECT_EQ(model().result().value->quantity, "linear iterations");
  const std::size_t before = model().result().value->lines.size();
  open.workspace.schedule().setText("r.fit:merge(r.reg_right)");
  ASSERT_TRUE(wait_until([&] {
    return model().result().isReady() && model().result().value->lines.size() == before + 1;
  }));
}

TEST_F(WhatIfTest, IsATabOfTheSchedulePageWithASlider) {
  gui::MainWindow window(open.workspace);
  window.resize(1440, 900);
  window.showPage("schedule");
  window.show();
  auto& ways = *window.currentPage().findChild<QTabBar*>("scheduleWays");
  ways.setCurrentIndex(2);
  EXPECT_TRUE(model().isShown());
  ASSERT_TRUE(is_ready());
  auto& slider = *window.currentPage().findChild<QSlider*>("whatIfSlider");
  auto& times = *window.currentPage().findChild<QTableWidget*>("whatIfTimes");
  auto& where = *window.currentPage().findChild<QLabel*>("whatIfWhere");
  EXPECT_EQ(times.rowCount(), static_cast<int>(model().result().value->lines.size()));
  EXPECT_TRUE(where.text().endsWith("as it is now")) << where.text().toStdString();
  const QString now = times.item(0, 1)->text();
  QTest::keyClick(&slider, Qt::Key_Right);
  EXPECT_NE(times.item(0, 1)->text(), now);
  EXPECT_FALSE(where.text().endsWith("as it is now"));
  ways.setCurrentIndex(0);
  EXPECT_FALSE(model().isShown());
}

}  // namespace
}  // namespace thallo::test
