// The tour: five hints at their widgets, by mouse and keys, shown once unless it is asked for.
#include <set>

#include <gtest/gtest.h>
#include <QApplication>
#include <QLineEdit>
#include <QSettings>
#include <QTest>

#include "gui/app/main_window.h"
#include "tests/gui/qt_environment.h"

namespace thallo::test {
namespace {

class TourInTheWindow : public testing::Test {
 protected:
  TourInTheWindow() {
    QSettings().remove("tourSeen");
    window.resize(1280, 800);
    window.show();
    window.activateWindow();
    EXPECT_TRUE(QTest::qWaitForWindowActive(&window));
  }
  void key(int code) { QTest::keyClick(QApplication::focusWidget(), static_cast<Qt::Key>(code)); }

  OpenWorkspace open{{.problem = "image_warping", .device = "h200"}};
  gui::MainWindow window{open.workspace};
  gui::Tour& tour{window.tour()};
};

TEST_F(TourInTheWindow, ShowsEachHintAtItsWidget) {
  ASSERT_TRUE(wait_until([&] { return open.workspace.guide().isWeighed(); }));
  EXPECT_EQ(tour.current(), -1) << "it does not start by itself";
  QTest::keyClick(&window, Qt::Key_F1);
  std::set<QString> texts;
  for (int hint = 0; hint < gui::Tour::count(); ++hint) {
    SCOPED_TRACE(hint);
    ASSERT_EQ(tour.current(), hint);
    ASSERT_NE(tour.target(), nullptr);
    EXPECT_TRUE(tour.target()->isVisible());
    EXPECT_TRUE(window.rect().contains(tour.geometry())) << "cut off";
    const QPoint its = tour.target()->mapTo(&window, tour.target()->rect().center());
    const bool fits = tour.target()->objectName() != "graphView";  // which fills the page
    EXPECT_FALSE(fits && tour.geometry().contains(its)) << "it hides what it is about";
    texts.insert(tour.findChild<QLabel*>("tourText")->text());
    EXPECT_EQ(QApplication::focusWidget()->objectName(), "tourNext");
    hint % 2 == 0 ? key(Qt::Key_Right)
                  : QTest::mouseClick(tour.findChild<QPushButton*>("tourNext"), Qt::LeftButton);
  }
  EXPECT_EQ(tour.current(), -1) << "the last one ends it";
  EXPECT_EQ(texts.size(), 5u);
}

TEST_F(TourInTheWindow, GoesBackAndIsDismissedByKeys) {
  tour.start(2);
  EXPECT_EQ(window.currentPage().id(), "graph");
  key(Qt::Key_Left);
  EXPECT_EQ(tour.current(), 1);
  key(Qt::Key_Left);
  key(Qt::Key_Left);
  EXPECT_EQ(tour.current(), 0) << "nothing is before the first";
  key(Qt::Key_Escape);
  EXPECT_EQ(tour.current(), -1);
}

TEST_F(TourInTheWindow, IsFoundByItsName) {
  QTest::keyClick(&window, Qt::Key_K, Qt::ControlModifier);
  auto* line = window.findChild<QWidget*>("searchBox")->findChild<QLineEdit*>();
  QTest::keyClicks(line, "tour");
  QTest::keyClick(line, Qt::Key_Return);
  EXPECT_EQ(tour.current(), 0);
}

TEST_F(TourInTheWindow, StartsByItselfOnlyOnce) {
  tour.startOnce();
  EXPECT_EQ(tour.current(), 0);
  key(Qt::Key_Escape);
  tour.startOnce();
  EXPECT_EQ(tour.current(), -1);
}

TEST(Tour, WaitsUntilAProblemIsOpen) {
  gui::Workspace workspace(workspace_options());
  gui::MainWindow window(workspace);
  window.show();
  window.tour().startWhenOpen(1);
  EXPECT_EQ(window.tour().current(), -1);
  workspace.open({.problem = "curve_fit", .device = "h200"}, "default");
  EXPECT_TRUE(wait_until([&] { return window.tour().current() == 1; }));
}

}  // namespace
}  // namespace thallo::test
