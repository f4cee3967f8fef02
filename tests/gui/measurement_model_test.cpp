// "Measure this": the current schedule is compiled and measured on this machine.
#include "gui/space/measurement_model.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <QApplication>
#include <QLabel>
#include <QTest>
#include <QToolButton>

#include "gui/app/main_window.h"
#include "gui/schedule/view/time_strip.h"
#include "tests/gui/qt_environment.h"
#include "tests/gui/space_records.h"
#include "tests/support/temp_dir.h"

namespace thallo::test {
namespace {

using gui::MeasurementModel;
using gui::TimeKind;
using testing::HasSubstr;

class MeasurementTest : public testing::Test {
 protected:
  void open_device(const QString& device) {
    workspace.space().openStore(QString::fromStdString(store.string()));
    workspace.open({.problem = "curve_fit", .device = device}, "default");
    ASSERT_TRUE(wait_until([this] { return workspace.guide().isWeighed(); }));
    window.show();
    QApplication::setActiveWindow(&window);
  }
  void open_here() {
    workspace.problems().rescan();
    ASSERT_TRUE(wait_until([this] {
      return workspace.problems().catalog().isReady() && workspace.problems().knowsDevices();
    }));
    const auto& devices = workspace.problems().catalog().value->devices;
    const auto cpu = std::ranges::find_if(devices, [](const gui::DeviceChoice& device) {
      return device.isHere() && device.backend == "cpu";
    });
    ASSERT_NE(cpu, devices.end());
    open_device(cpu->id);
  }
  bool has_arrived(MeasurementModel::State state) {
    return wait_until([&] { return measurement().state() == state; });
  }
  void measure() {
    QTest::keyClick(&window, Qt::Key_M, Qt::ControlModifier);
    ASSERT_TRUE(measurement().isRunning()) << said();
    ASSERT_TRUE(has_arrived(MeasurementModel::State::Done)) << measurement().error().toStdString();
    ASSERT_TRUE(wait_until([this] { return workspace.space().space().isReady(); }));
  }
  MeasurementModel& measurement() { return workspace.space().measurement(); }
  const gui::TimeEstimate& time() { return workspace.schedule().schedule().value->time; }
  std::string said() { return window.findChild<QLabel*>("measureText")->text().toStdString(); }

  TempDir folder;
  std::filesystem::path store = folder.path() / "measured.store";
  gui::Workspace workspace{workspace_options()};
  gui::MainWindow window{workspace};
};

TEST_F(MeasurementTest, FillsTheStripAndScalesWhatWasNotMeasured) {
  open_here();
  EXPECT_EQ(time().kind(), TimeKind::Estimated);
  measure();
  EXPECT_EQ(time().kind(), TimeKind::Measured);
  ASSERT_TRUE(time().spread);
  for (const gui::TimeSegment& segment : time().segments) {
    // The store has the clears of a program under the name of the first of that size.
    if (segment.seconds() == 0 || segment.label.startsWith("clear")) continue;
    EXPECT_TRUE(segment.measured) << segment.label.toStdString();
    EXPECT_TRUE(segment.spread) << segment.label.toStdString();
  }
  const std::string summary =
      window.findChild<gui::TimeStrip*>("timeStrip")->summary().toStdString();
  EXPECT_THAT(summary, HasSubstr(" ± "));
  EXPECT_THAT(summary, HasSubstr("measured"));
  EXPECT_THAT(said(), HasSubstr("default takes "));
  // Only this schedule was measured, not those that explorations begin with.
  EXPECT_EQ(workspace.space().space().value->byTime.size(), 1u);
  int num_scaled = 0;
  for (const gui::SiteRow& site : workspace.schedule().sites().value->sites) {
    for (const gui::ChoiceRow& choice : site.choices) {
      if (!choice.change || choice.hash == workspace.schedule().schedule().value->hash) continue;
      EXPECT_EQ(choice.change->kind, TimeKind::Scaled) << choice.directive.toStdString();
      EXPECT_EQ(choice.change->from, *time().measured);
      ++num_scaled;
    }
  }
  EXPECT_GT(num_scaled, 0);
}

TEST_F(MeasurementTest, MeasuresAgainTheSecondTime) {
  open_here();
  measure();
  const auto first = step_times(store);
  measure();
  const auto second = step_times(store);
  ASSERT_EQ(second.size(), first.size());
  for (const auto& [step, seconds] : first) EXPECT_NE(second.at(step), seconds) << step;
}

TEST_F(MeasurementTest, EndsByEscape) {
  open_here();
  auto& button = *window.findChild<QToolButton*>("measureThis");
  QTest::mouseClick(&button, Qt::LeftButton);
  ASSERT_TRUE(measurement().isRunning());
  EXPECT_EQ(button.text(), "Stop measuring");
  EXPECT_THAT(said(), HasSubstr("Measuring default: "));
  QTest::keyClick(&window, Qt::Key_Escape);
  EXPECT_EQ(measurement().state(), MeasurementModel::State::Idle);
  EXPECT_EQ(button.text(), "Measure this");
  EXPECT_FALSE(window.findChild<QWidget*>("measureBar")->isVisible());
  EXPECT_EQ(time().kind(), TimeKind::Estimated);
}

TEST_F(MeasurementTest, SaysWhyItCannotBeMeasuredHereAndOffersThisMachine) {
  open_device("titan_x_pascal");
  QTest::keyClick(&window, Qt::Key_M, Qt::ControlModifier);
  EXPECT_FALSE(measurement().isRunning());
  EXPECT_THAT(said(), HasSubstr("is not in this machine"));
  auto& look = *window.findChild<QPushButton*>("measureButton");
  ASSERT_TRUE(wait_until([&] { return look.text().startsWith("Look on "); }));
  QTest::mouseClick(&look, Qt::LeftButton);
  ASSERT_TRUE(wait_until([this] {
    return workspace.problems().problem().isReady() && workspace.whyNotMeasured().isEmpty();
  }));
  EXPECT_TRUE(workspace.problems().request().device.startsWith("here:"));
}

TEST_F(MeasurementTest, SaysWhyItFailed) {
  open_here();
  MeasurementModel broken({"/nowhere/thallo", "worker"});
  broken.start({.problem = "curve_fit", .backend = "cpu"}, QString::fromStdString(store.string()),
               {.name = "default", .proposal = {.text = "", .hash = "0"}});
  ASSERT_TRUE(wait_until([&] { return broken.state() == MeasurementModel::State::Failed; }));
  EXPECT_NE(broken.error(), "");
}

}  // namespace
}  // namespace thallo::test
