// The list of schedules with the mouse and the keyboard: edited ones stay, are renamed, copied and
// deleted, and are written to and read from files.
#include "gui/schedule/view/schedule_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <QFile>
#include <QFileDialog>
#include <QInputDialog>
#include <QListWidget>
#include <QMenu>
#include <QMessageBox>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTest>

#include "gui/app/main_window.h"
#include "tests/gui/qt_environment.h"
#include "tests/support/subprocess.h"
#include "tests/support/temp_dir.h"

namespace thallo::test {
namespace {

using testing::HasSubstr;

class ScheduleListTest : public testing::Test {
 protected:
  ScheduleListTest() {
    window.show();
    window.activateWindow();
    EXPECT_TRUE(QTest::qWaitForWindowActive(&window));
  }
  void settle() {
    ASSERT_TRUE(wait_until([this] { return !model.isChanging() && model.sites().isReady(); }));
  }
  void edit(const QString& label = "[JtJ]p") {
    model.choose("strategy", "reg_down", label);
    settle();
  }
  QListWidgetItem* item(const QString& name) {
    const auto found = list->findItems(name, Qt::MatchExactly);
    return found.empty() ? nullptr : found.front();
  }
  void click(const QString& name) {
    ASSERT_NE(item(name), nullptr) << name.toStdString();
    QTest::mouseClick(list->viewport(), Qt::LeftButton, {},
                      list->visualItemRect(item(name)).center());
    settle();
  }
  std::string shown(const QString& name) {
    return item(name) == nullptr
               ? std::string()
               : item(name)->data(Qt::AccessibleTextRole).toString().toStdString();
  }
  template <class T>
  T* dialog(const char* name) {
    T* found = nullptr;
    EXPECT_TRUE(wait_until([&] {
      for (T* its : window.findChildren<T*>(name))
        if (its->isVisible()) found = its;
      return found != nullptr;
    })) << name;
    return found;
  }
  // Keys are the window's again when a dialog has gone.
  void key(Qt::Key key, Qt::KeyboardModifiers modifiers) {
    window.activateWindow();
    ASSERT_TRUE(QTest::qWaitForWindowActive(&window));
    QTest::keyClick(&window, key, modifiers);
  }
  // Of the menu of the current schedule.
  void choose(const QString& action) {
    for (QAction* its : window.findChild<QMenu*>("scheduleMenu")->actions())
      if (its->text() == action) return its->trigger();
    FAIL() << "no action " << action.toStdString();
  }

  OpenWorkspace open{small_poisson("h200")};
  gui::ScheduleModel& model = open.workspace.schedule();
  gui::MainWindow window{open.workspace};
  QListWidget* list = window.findChild<QListWidget*>("scheduleList");
};

TEST_F(ScheduleListTest, KeepsAnEditedOneWhenANamedOneIsClicked) {
  edit();
  EXPECT_THAT(shown("edited"), HasSubstr("predicted"));
  click("opt");
  EXPECT_EQ(model.name(), "opt");
  EXPECT_THAT(shown("edited"), HasSubstr("predicted"));
  click("edited");
  EXPECT_EQ(model.name(), "edited");
  EXPECT_EQ(model.text(), "r.reg_down:strategy(\"[JtJ]p\")\n");
}

// Of a small window.
TEST_F(ScheduleListTest, ShowsTheTimeInANarrowColumn) {
  list->setFixedWidth(110);
  EXPECT_TRUE(wait_until([this] {
    return list->visualItemRect(list->item(0)).width() <= list->viewport()->width() &&
           list->viewport()->width() <= 110;
  }));
}

TEST_F(ScheduleListTest, SaysThatOneHasATextWithAFault) {
  auto* editor = window.findChild<QPlainTextEdit*>("scheduleText");
  ASSERT_TRUE(window.showPage("schedule"));
  editor->setFocus();
  QTest::keyClicks(editor, "r.half");
  click("opt");  // before the pause after typing is over
  EXPECT_EQ(model.name(), "opt");
  EXPECT_THAT(shown("edited"), HasSubstr("has a fault"));
  EXPECT_EQ(editor->toPlainText(), model.text());
  click("edited");
  ASSERT_TRUE(wait_until([&] { return editor->toPlainText() == "r.half"; }));
}

TEST_F(ScheduleListTest, RenamesByAKey) {
  edit();
  key(Qt::Key_F2, {});
  auto* ask = dialog<QInputDialog>("renameSchedule");
  EXPECT_EQ(ask->textValue(), "edited");
  ask->setTextValue("opt");
  ask->accept();
  auto* fault = dialog<QMessageBox>("scheduleFault");
  EXPECT_THAT(fault->text().toStdString(), HasSubstr("there is a schedule 'opt' already"));
  fault->accept();
  choose("Rename …");
  ask = dialog<QInputDialog>("renameSchedule");
  ask->setTextValue("stored");
  ask->accept();
  EXPECT_EQ(model.name(), "stored");
  EXPECT_NE(item("stored"), nullptr);
  EXPECT_EQ(item("edited"), nullptr);
}

TEST_F(ScheduleListTest, DuplicatesAnyByAKey) {
  click("opt");
  const QString text = model.text();
  key(Qt::Key_D, Qt::ControlModifier);
  ASSERT_TRUE(wait_until([this] { return model.name() == "opt copy"; }));
  EXPECT_EQ(model.text(), text);
  settle();
  edit();
  EXPECT_EQ(model.name(), "opt copy");
  click("opt");
  EXPECT_EQ(model.text(), text);
}

TEST_F(ScheduleListTest, DeletesAfterAQuestion) {
  edit();
  list->setCurrentItem(item("edited"));
  list->setFocus();
  QTest::keyClick(list, Qt::Key_Delete);
  auto* ask = dialog<QMessageBox>("deleteSchedule");
  EXPECT_EQ(ask->defaultButton(), ask->button(QMessageBox::Cancel));
  QTest::mouseClick(ask->button(QMessageBox::Cancel), Qt::LeftButton);
  EXPECT_NE(item("edited"), nullptr);
  QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
  choose("Delete …");
  ask = dialog<QMessageBox>("deleteSchedule");
  for (QAbstractButton* button : ask->buttons())
    if (button->text() == "Delete") QTest::mouseClick(button, Qt::LeftButton);
  ASSERT_TRUE(wait_until([this] { return model.name() == "auto"; }));
  settle();
  EXPECT_EQ(item("edited"), nullptr);
  key(Qt::Key_Z, Qt::ControlModifier);
  EXPECT_EQ(model.name(), "edited");
  EXPECT_NE(item("edited"), nullptr);
}

TEST_F(ScheduleListTest, SavesAFileThatTheCommandLineTakesAndLoadsIt) {
  model.setText("-- stored\nr.reg_down:strategy(\"[JtJ]p\")\n");
  ASSERT_TRUE(wait_until([this] { return model.name() == "edited"; }));
  settle();
  const TempDir folder;
  const QString file = QString::fromStdString((folder.path() / "mine.sched").string());
  key(Qt::Key_S, Qt::ControlModifier | Qt::AltModifier);
  auto* save = dialog<QFileDialog>("saveSchedule");
  ASSERT_NE(save, nullptr);
  Q_EMIT save->fileSelected(file);
  save->close();
  const ProcessResult printed =
      run_process({THALLO_PROGRAM, "print", "schedule", "poisson_image_editing", "--schedule",
                   file.toStdString()});
  EXPECT_EQ(printed.exit_code, 0) << printed.err;
  EXPECT_EQ(printed.out, model.schedule().value->text.toStdString());
  click("opt");
  key(Qt::Key_O, Qt::ControlModifier | Qt::AltModifier);
  auto* load = dialog<QFileDialog>("loadSchedule");
  ASSERT_NE(load, nullptr);
  Q_EMIT load->fileSelected(file);
  ASSERT_TRUE(wait_until([this] { return model.name() == "mine"; }));
  EXPECT_EQ(model.text(), "-- stored\nr.reg_down:strategy(\"[JtJ]p\")\n");
  load->close();
}

TEST_F(ScheduleListTest, SaysWhatIsWrongWithAFile) {
  const TempDir folder;
  const auto file = folder.write("wrong.sched", "r.reg_down:strategy(\"Jt\")\n");
  model.load(QString::fromStdString(file.string()));
  auto* fault = dialog<QMessageBox>("scheduleFault");
  EXPECT_THAT(fault->text().toStdString(), HasSubstr(file.string() + ":1:"));
  EXPECT_THAT(fault->text().toStdString(), HasSubstr("Jt[Jp]"));
  EXPECT_EQ(item("wrong"), nullptr);
}

}  // namespace
}  // namespace thallo::test
