// Text of an energy that was typed and not saved: every way to lose it asks first.
#include "gui/problem/view/unsaved_energy.h"

#include <filesystem>
#include <functional>

#include <gtest/gtest.h>
#include <QFile>
#include <QFileDialog>
#include <QMessageBox>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTest>

#include "gui/app/main_window.h"
#include "gui/problem/energy_draft.h"
#include "tests/gui/own_energy.h"
#include "tests/gui/qt_environment.h"
#include "tests/gui/shown_windows.h"

namespace thallo::test {
namespace {

class UnsavedEnergy : public testing::Test {
 protected:
  UnsavedEnergy() {
    EXPECT_TRUE(own.writeProblemFile());
    window.show();
    workspace.openFile(own.problemFile());
    EXPECT_TRUE(wait_until([this] { return workspace.schedule().schedule().isReady(); }));
    EXPECT_TRUE(wait_until_shown());
    QTest::keyClicks(&text(), "-- mine");
    QTest::keyClick(&text(), Qt::Key_Return);
    EXPECT_TRUE(workspace.energyText().isUnsaved());
  }
  QPlainTextEdit& text() { return *window.findChild<QPlainTextEdit*>("energyText"); }
  // The only one that is open; null when nothing is asked.
  QMessageBox* question(const char* name = "unsavedEnergy") {
    for (auto* box : window.findChildren<QMessageBox*>(name))
      if (box->isVisible()) return box;
    return nullptr;
  }
  void answer(QMessageBox::StandardButton button) {
    QMessageBox* box = question();
    ASSERT_NE(box, nullptr) << "nothing was asked";
    QTest::mouseClick(box->button(button), Qt::LeftButton);
  }
  // By its words.
  void answer(const char* box_name, const QString& words) {
    QMessageBox* box = question(box_name);
    ASSERT_NE(box, nullptr) << box_name;
    for (QAbstractButton* button : box->buttons())
      if (button->text().remove('&') == words) return QTest::mouseClick(button, Qt::LeftButton);
    FAIL() << "no button " << words.toStdString();
  }
  bool is_open(const QString& problem) {
    const gui::ProblemModel& problems = workspace.problems();
    return problems.request().problem == problem && problems.problem().isReady();
  }

  const OwnEnergy own;
  gui::Workspace workspace{workspace_options()};
  gui::MainWindow window{workspace};
};

TEST_F(UnsavedEnergy, IsAskedForByEveryWayToAnotherProblem) {
  const gui::ProblemRequest other{.problem = "curve_fit", .device = "cpu"};
  gui::SessionData session = workspace.session();
  const std::vector<std::function<void()>> ways = {
      [&] { workspace.open(other); },
      [&] {
        workspace.openRecent({other, {}});
      },
      [&] { workspace.openFile(own.problemFile()); },
      [&] { workspace.restore(session); },
      [&] { workspace.lookOn("h200"); },
      [&] { workspace.retry(); },
      [&] { window.close(); },
  };
  for (std::size_t i = 0; i < ways.size(); ++i) {
    ways[i]();
    ASSERT_NO_FATAL_FAILURE(answer(QMessageBox::Cancel)) << "way " << i;
    QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
    EXPECT_TRUE(is_open("own_energy")) << "way " << i;
    EXPECT_TRUE(window.isVisible()) << "way " << i;
    EXPECT_TRUE(text().toPlainText().startsWith("-- mine")) << "way " << i;
  }
  EXPECT_EQ(content(own.energy()), OwnEnergy::text());
}

// Also where something else is selected while another page is shown.
TEST_F(UnsavedEnergy, StaysAsItIsOnAHiddenPage) {
  ASSERT_TRUE(text().document()->isUndoAvailable());
  const int position = text().textCursor().position();
  window.showPage("graph");
  workspace.selection().select({gui::Selection::Kind::Line, "2"});
  window.showPage("problem");
  ASSERT_TRUE(wait_until([this] { return !gui::ShownRefresh::isUnderWay(window); }));
  EXPECT_TRUE(text().toPlainText().startsWith("-- mine"));
  EXPECT_EQ(text().textCursor().position(), position);
  EXPECT_TRUE(text().document()->isUndoAvailable());
}

TEST_F(UnsavedEnergy, IsWrittenBeforeAnotherProblemOpens) {
  workspace.open({.problem = "curve_fit", .device = "cpu"});
  answer(QMessageBox::Save);
  ASSERT_TRUE(wait_until([&] { return is_open("curve_fit"); }));
  EXPECT_EQ(content(own.energy()), "-- mine\n" + OwnEnergy::text());
  workspace.open(small_poisson("cpu"));
  EXPECT_EQ(question(), nullptr);
}

TEST_F(UnsavedEnergy, IsDroppedOnRequest) {
  workspace.open({.problem = "curve_fit", .device = "cpu"});
  answer(QMessageBox::Discard);
  ASSERT_TRUE(wait_until([&] { return is_open("curve_fit"); }));
  EXPECT_EQ(content(own.energy()), OwnEnergy::text());
}

TEST_F(UnsavedEnergy, IsWrittenBeforeTheWindowCloses) {
  EXPECT_TRUE(window.isWindowModified());
  EXPECT_FALSE(window.close());
  answer(QMessageBox::Save);
  EXPECT_FALSE(window.isVisible());
  EXPECT_EQ(content(own.energy()), "-- mine\n" + OwnEnergy::text());
}

// The text is checked only when typing has paused.
TEST_F(UnsavedEnergy, IsSavedByTheKeyRightAfterItWasTyped) {
  QTest::keyClicks(&text(), "-- at once");
  QTest::keyClick(&text(), Qt::Key_Return);
  QTest::keyClick(&text(), Qt::Key_S, Qt::ControlModifier);
  const QString typed = "-- mine\n-- at once\n" + OwnEnergy::text();
  EXPECT_TRUE(wait_until([&] { return content(own.energy()) == typed; }))
      << content(own.energy()).toStdString();
  EXPECT_FALSE(window.isWindowModified());
}

TEST_F(UnsavedEnergy, WithAFaultIsNotSavedByTheKey) {
  QTest::keyClicks(&text(), "x");
  QTest::keyClick(&text(), Qt::Key_S, Qt::ControlModifier);
  EXPECT_TRUE(
      wait_until([this] { return window.findChild<QWidget*>("energyFault")->isVisible(); }));
  EXPECT_EQ(content(own.energy()), OwnEnergy::text());
  EXPECT_TRUE(window.isWindowModified());
}

// Latin-1 in comments, behind a byte-order mark.
TEST(UnsavedBytes, StayAsTheyAreWhereNothingIsTyped) {
  const OwnEnergy own;
  const QByteArray before =
      "\xef\xbb\xbf-- d\xe9j\xe0\r\n" + OwnEnergy::text().replace("\n", " -- \xe9\r\n").toLatin1();
  QFile file(own.energy());
  ASSERT_TRUE(file.open(QIODevice::WriteOnly));
  file.write(before);
  file.close();
  ASSERT_TRUE(own.writeProblemFile());
  gui::Workspace workspace{workspace_options()};
  gui::MainWindow window{workspace};
  window.show();
  workspace.openFile(own.problemFile());
  ASSERT_TRUE(wait_until([&] { return workspace.schedule().schedule().isReady(); }));
  ASSERT_TRUE(wait_until_shown());
  auto* text = window.findChild<QPlainTextEdit*>("energyText");
  QTest::keyClicks(text, "-- mine");
  QTest::keyClick(text, Qt::Key_Return);
  ASSERT_TRUE(workspace.energyText().saveAs(own.energy()));
  ASSERT_TRUE(file.open(QIODevice::ReadOnly));
  EXPECT_EQ(file.readAll(), QByteArray(before).insert(3, "-- mine\r\n"));
}

TEST_F(UnsavedEnergy, IsWrittenElsewhereWhenItsFileCannotBe) {
  std::filesystem::remove_all(own.folder().toStdString());
  window.close();
  answer(QMessageBox::Save);
  EXPECT_TRUE(question("energyNotSaved")->text().contains(own.energy() + " cannot be written"));
  answer("energyNotSaved", "Save a copy …");
  auto* dialog = window.findChild<QFileDialog*>("saveEnergyAs");
  ASSERT_NE(dialog, nullptr);
  EXPECT_TRUE(window.isVisible());
  const TempDir folder;
  const QString copy = QString::fromStdString((folder.path() / "copy.lua").string());
  Q_EMIT dialog->fileSelected(copy);
  EXPECT_FALSE(window.isVisible());
  EXPECT_EQ(content(copy), "-- mine\n" + OwnEnergy::text());
}

TEST_F(UnsavedEnergy, OverwritesWhatAnotherProgramWroteOnlyOnRequest) {
  QFile file(own.energy());
  ASSERT_TRUE(file.open(QIODevice::WriteOnly));
  file.write("-- theirs\n");
  file.close();
  window.close();
  answer(QMessageBox::Save);
  answer("energyNotSaved", "Cancel");
  EXPECT_TRUE(window.isVisible());
  EXPECT_EQ(content(own.energy()), "-- theirs\n");
  QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
  window.close();
  answer(QMessageBox::Save);
  answer("energyNotSaved", "Overwrite");
  EXPECT_FALSE(window.isVisible());
  EXPECT_EQ(content(own.energy()), "-- mine\n" + OwnEnergy::text());
}

TEST(EnergyTextTest, WithoutAFileIsAskedANameFor) {
  gui::EnergyText energy;
  energy.begin({}, {});
  energy.setText("-- new");
  QWidget parent;
  bool is_saved = false;
  gui::saveEnergy(energy, &parent, [&] { is_saved = true; });
  auto* dialog = parent.findChild<QFileDialog*>("saveEnergyAs");
  ASSERT_NE(dialog, nullptr);
  EXPECT_EQ(dialog->defaultSuffix(), "lua");
  const TempDir folder;
  const QString file = QString::fromStdString((folder.path() / "new.lua").string());
  Q_EMIT dialog->fileSelected(file);
  EXPECT_TRUE(is_saved);
  EXPECT_FALSE(energy.isUnsaved());
  EXPECT_EQ(energy.file(), file);
  EXPECT_EQ(content(file), "-- new");
}

}  // namespace
}  // namespace thallo::test
