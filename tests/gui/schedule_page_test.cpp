#include "gui/schedule/view/schedule_page.h"

#include <gtest/gtest.h>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTest>
#include <QTextBlock>
#include <QToolButton>

#include "gui/app/main_window.h"
#include "tests/gui/schedule_page_driver.h"

namespace thallo::test {
namespace {

class SchedulePageTest : public testing::Test {
 protected:
  SchedulePageTest() {
    driver.page.activateWindow();
    editor->setFocus();
  }
  std::string shown() { return editor->toPlainText().toStdString(); }
  // As a person types; until it has been taken or refused.
  void type(const QString& text) {
    for (const QChar letter : text) {
      if (letter == '\n')
        QTest::keyClick(editor, Qt::Key_Return);
      else
        QTest::keyClicks(editor, letter);
    }
    EXPECT_TRUE(wait_until([&] {
      return driver.model().draft() == editor->toPlainText() ||
             (driver.model().text() == editor->toPlainText() && !driver.model().isChanging());
    })) << shown();
    driver.settle();
  }

  SchedulePageDriver driver{"poisson_image_editing"};
  QPlainTextEdit* editor = driver.find<QPlainTextEdit>("scheduleText");
};

TEST_F(SchedulePageTest, ShowsEverySite) {
  EXPECT_EQ(driver.page.state(), gui::RemoteState::Ready);
  EXPECT_EQ(driver.page.itemCount(), static_cast<int>(driver.table().sites.size()));
  EXPECT_GT(driver.page.itemCount(), 30);
}

TEST_F(SchedulePageTest, TakesATypedDirective) {
  const double before = driver.time();
  type("r.reg_down:strategy(\"[JtJ]p\")");
  EXPECT_EQ(driver.text(), "r.reg_down:strategy(\"[JtJ]p\")\n");
  EXPECT_NE(driver.time(), before);
  const gui::SiteRow& site = driver.go_to("strategy", "reg_down");
  EXPECT_EQ(site.choices[site.chosen].label, "[JtJ]p");
}

TEST_F(SchedulePageTest, KeepsTheScheduleWhileWhatIsTypedHasAFault) {
  type("-- first\nr.reg_dwn:strategy(\"[JtJ]p\")");
  EXPECT_EQ(driver.text(), "");
  const auto* faults = driver.find<QLabel>("textFaults");
  EXPECT_TRUE(faults->isVisible());
  EXPECT_TRUE(faults->text().startsWith("line 2, column 1: ")) << faults->text().toStdString();
  EXPECT_TRUE(faults->text().contains("reg_dwn"));
  ASSERT_EQ(editor->extraSelections().size(), 1);
  EXPECT_EQ(editor->extraSelections().front().cursor.blockNumber(), 1);
  EXPECT_EQ(editor->extraSelections().front().cursor.selectedText(),
            "r.reg_dwn:strategy(\"[JtJ]p\")");
  EXPECT_TRUE(shown().starts_with("-- first\n"));
  QTest::keyClick(editor, Qt::Key_Home);
  for (int i = 0; i < 7; ++i) QTest::keyClick(editor, Qt::Key_Right);
  type("o");
  EXPECT_FALSE(faults->isVisible());
  EXPECT_EQ(driver.text(), "r.reg_down:strategy(\"[JtJ]p\")\n");
}

TEST_F(SchedulePageTest, KeepsCommentsUntilTheScheduleIsAnother) {
  const std::string typed = "-- why not\nr.reg_down : strategy('[JtJ]p')  -- stored";
  type(QString::fromStdString(typed));
  EXPECT_EQ(shown(), typed);
  driver.model().choose("strategy", "reg_down", "[JtJ]p");
  driver.settle();
  EXPECT_EQ(shown(), typed);
  driver.model().choose("strategy", "reg_down", "Jt[Jp]");
  driver.settle();
  EXPECT_EQ(shown(), "r.reg_down:strategy(\"Jt[Jp]\")\n");
  QTest::mouseClick(driver.find<QToolButton>("undoButton"), Qt::LeftButton);
  EXPECT_EQ(shown(), typed);
  QTest::mouseClick(driver.find<QToolButton>("redoButton"), Qt::LeftButton);
  EXPECT_EQ(shown(), "r.reg_down:strategy(\"Jt[Jp]\")\n");
}

TEST_F(SchedulePageTest, ALineAndItsSiteMarkEachOther) {
  driver.model().choose("strategy", "reg_down", "[JtJ]p");
  driver.model().choose("strategy", "reg_up", "Jt[Jp]");
  driver.settle();
  driver.go_to("strategy", "reg_up");
  ASSERT_EQ(editor->extraSelections().size(), 1);
  EXPECT_EQ(editor->extraSelections().front().cursor.blockNumber(), 1);
  ASSERT_TRUE(wait_until([this] { return editor->hasFocus(); }));
  QTest::keyClick(editor, Qt::Key_Down);
  QTest::keyClick(editor, Qt::Key_Up);
  EXPECT_EQ(driver.open.workspace.selection().current(),
            (gui::Selection{gui::Selection::Kind::Site, "strategy@reg_down"}));
  EXPECT_EQ(driver.find<QLabel>("siteTitle")->text(), "strategy of reg_down");
}

TEST_F(SchedulePageTest, ShowsWhatAChangeDroppedAndTakesItBack) {
  driver.model().choose("strategy", "reg_down", "[JtJ]p");
  driver.model().choose("storage", "reg_down.JtJ", "csr");
  driver.settle();
  const std::string before = driver.text();
  const auto* row = driver.find<QWidget>("droppedRow");
  EXPECT_FALSE(row->isVisible());
  driver.model().choose("strategy", "reg_down", "JtJp");
  driver.settle();
  EXPECT_TRUE(row->isVisible());
  EXPECT_TRUE(driver.find<QLabel>("droppedDirectives")->text().contains("storage(\"csr\")"));
  QTest::mouseClick(driver.find<QPushButton>("undoDropping"), Qt::LeftButton);
  EXPECT_EQ(driver.text(), before);
  EXPECT_FALSE(row->isVisible());
}

TEST(SchedulePageInWindow, CtrlZTakesBackTypingFirstAndThenTheSchedule) {
  OpenWorkspace open(small_poisson("h200"));
  gui::ScheduleModel& model = open.workspace.schedule();
  gui::MainWindow window(open.workspace);
  window.show();
  ASSERT_TRUE(window.showPage("schedule"));
  auto* editor = window.findChild<QPlainTextEdit*>("scheduleText");
  editor->setFocus();
  model.choose("strategy", "reg_down", "[JtJ]p");
  const QString chosen = "r.reg_down:strategy(\"[JtJ]p\")\n";
  ASSERT_TRUE(wait_until([&] { return editor->toPlainText() == chosen; }));
  QTest::keyClicks(editor, "-- so");
  QTest::keyClick(editor, Qt::Key_Z, Qt::ControlModifier);
  EXPECT_EQ(editor->toPlainText(), chosen);
  EXPECT_EQ(model.schedule().value->text, chosen);
  QTest::keyClick(editor, Qt::Key_Z, Qt::ControlModifier);
  ASSERT_TRUE(wait_until([&] { return editor->toPlainText().isEmpty(); }));
  EXPECT_EQ(model.schedule().value->text, "");
}

}  // namespace
}  // namespace thallo::test
