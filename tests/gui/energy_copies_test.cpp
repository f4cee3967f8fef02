// Text of an energy that was typed and not saved when the program was killed: it is there
// afterwards, and no file changes before the user wants it to.
#include "gui/problem/energy_copies.h"

#include <csignal>

#include <gtest/gtest.h>
#include <QDirIterator>
#include <QFile>
#include <QLabel>
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

class EnergyCopies : public testing::Test {
 protected:
  // The app, with the energy open.
  struct Program {
    explicit Program(const EnergyCopies& test) : workspace(options(test)), window(workspace) {
      window.show();
      workspace.openFile(test.own.problemFile());
      EXPECT_TRUE(wait_until([this] { return workspace.schedule().schedule().isReady(); }));
      EXPECT_TRUE(wait_until_shown());
    }
    static gui::WorkspaceOptions options(const EnergyCopies& test) {
      gui::WorkspaceOptions options = workspace_options();
      options.energyCopies = test.folder();
      return options;
    }
    bool isOffered() { return window.findChild<QWidget*>("foundEnergy")->isVisible(); }
    QString offer() { return window.findChild<QLabel*>("foundEnergyText")->text(); }
    QPlainTextEdit& editor() { return *window.findChild<QPlainTextEdit*>("energyText"); }
    void click(const char* button) {
      QTest::mouseClick(window.findChild<QPushButton*>(button), Qt::LeftButton);
    }

    gui::Workspace workspace;
    gui::MainWindow window;
  };

  EnergyCopies() { EXPECT_TRUE(own.writeProblemFile()); }
  QString folder() const { return QString::fromStdString(dir.path().string()); }
  // Another program is killed that has this text in its editor.
  void kill_with(const QString& text, const QString& saved = OwnEnergy::text()) {
    const auto type_and_die = [&] {
      gui::EnergyCopies copies(folder());
      if (copies.keep(own.energy(), saved, text)) std::raise(SIGKILL);
    };
    EXPECT_EXIT(type_and_die(), testing::KilledBySignal(SIGKILL), "");
  }
  std::vector<std::string> on_disk() const {
    std::vector<std::string> texts;
    for (QDirIterator all(folder(), {"*.lua"}, QDir::Files, QDirIterator::Subdirectories);
         all.hasNext();)
      texts.push_back(content(all.next()).toStdString());
    return texts;
  }

  const OwnEnergy own;
  const TempDir dir;
  const QString mine = "-- mine\n" + OwnEnergy::text();
};

TEST_F(EnergyCopies, OfAKilledProgramIsOfferedAndRestored) {
  kill_with(mine);
  Program program(*this);
  ASSERT_TRUE(program.isOffered());
  const std::string offer = program.offer().toStdString();
  EXPECT_EQ(offer.rfind("Unsaved text of ", 0), 0u) << offer;
  EXPECT_TRUE(offer.ends_with(" is here.")) << offer;
  EXPECT_EQ(program.editor().toPlainText(), OwnEnergy::text());
  program.click("restoreEnergy");
  EXPECT_FALSE(program.isOffered());
  EXPECT_EQ(program.editor().toPlainText(), mine);
  EXPECT_TRUE(program.window.isWindowModified());
  EXPECT_EQ(content(own.energy()), OwnEnergy::text()) << "nobody has saved it";
  EXPECT_EQ(on_disk(), std::vector{mine.toStdString()}) << "it would survive once more";
  ASSERT_TRUE(program.workspace.energyText().saveAs(own.energy()));
  EXPECT_EQ(content(own.energy()), mine);
  EXPECT_TRUE(on_disk().empty());
}

TEST_F(EnergyCopies, AreDeletedOneByOneOnRequest) {
  kill_with("-- theirs\n");
  kill_with(mine);
  Program program(*this);
  program.click("discardEnergy");
  EXPECT_TRUE(program.isOffered());
  EXPECT_EQ(on_disk().size(), 1u);
  program.click("discardEnergy");
  EXPECT_FALSE(program.isOffered());
  EXPECT_TRUE(on_disk().empty());
  EXPECT_EQ(program.editor().toPlainText(), OwnEnergy::text());
}

TEST_F(EnergyCopies, OfAnotherTextOfTheFileSaysSo) {
  kill_with(mine, "-- before\n");
  Program program(*this);
  EXPECT_TRUE(program.offer().contains("The file was changed since."));
}

TEST_F(EnergyCopies, OfTheTextThatWasSavedIsNotOffered) {
  kill_with(OwnEnergy::text(), "-- before\n");
  EXPECT_FALSE(Program(*this).isOffered());
  EXPECT_TRUE(on_disk().empty());
}

TEST_F(EnergyCopies, OfAProgramThatRunsIsNotOffered) {
  gui::EnergyCopies other(folder());
  ASSERT_TRUE(other.keep(own.energy(), OwnEnergy::text(), mine));
  Program program(*this);
  EXPECT_FALSE(program.isOffered());
  QTest::keyClicks(&program.editor(), "-- here");
  ASSERT_TRUE(wait_until([this] { return on_disk().size() == 2; })) << "each has its own";
}

TEST_F(EnergyCopies, IsWrittenWhileOneTypesAndGoesWithTheText) {
  Program program(*this);
  QTest::keyClicks(&program.editor(), "-- mine");
  QTest::keyClick(&program.editor(), Qt::Key_Return);
  ASSERT_TRUE(wait_until([this] { return on_disk() == std::vector{mine.toStdString()}; }));
  while (program.workspace.energyText().isUnsaved()) program.editor().undo();
  EXPECT_TRUE(on_disk().empty()) << "nothing is to be saved";
  QTest::keyClicks(&program.editor(), "-- mine");
  ASSERT_TRUE(wait_until([this] { return !on_disk().empty(); }));
  program.window.close();
  auto* question = program.window.findChild<QMessageBox*>("unsavedEnergy");
  ASSERT_NE(question, nullptr);
  QTest::mouseClick(question->button(QMessageBox::Discard), Qt::LeftButton);
  EXPECT_TRUE(on_disk().empty());
}

// What was typed before the answer is not lost by it.
TEST_F(EnergyCopies, IsRestoredInPlaceOfWhatWasTypedSoThatItCanBeUndone) {
  kill_with(mine);
  Program program(*this);
  QTest::keyClicks(&program.editor(), "-- here");
  const QString typed = program.editor().toPlainText();
  program.click("restoreEnergy");
  EXPECT_EQ(program.editor().toPlainText(), mine);
  program.editor().undo();
  EXPECT_EQ(program.editor().toPlainText(), typed);
}

}  // namespace
}  // namespace thallo::test
