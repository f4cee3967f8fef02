// Nobody typed into the energy: nothing that an app does by itself counts as a change of it, and
// what does is written as the file was.
#include <fstream>

#include <gtest/gtest.h>
#include <QDirIterator>
#include <QFileDialog>
#include <QMessageBox>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTest>

#include "gui/app/main_window.h"
#include "gui/base/write_file.h"
#include "tests/gui/own_energy.h"
#include "tests/gui/qt_environment.h"
#include "tests/gui/shown_windows.h"

namespace thallo::test {
namespace {

class UntypedEnergy : public testing::Test {
 protected:
  UntypedEnergy() {
    EXPECT_TRUE(own.writeProblemFile());
    write("second.lua", windows_text());
    write("second.toml", content(own.problemFile()).replace("own_energy", "second"));
    workspace.problems().rescan();
    window.show();
  }
  // Its lines end as those of Windows do, and a space in it does not break.
  static QString windows_text() {
    return QString("-- of\u00a0Windows\n" + OwnEnergy::text()).replace("\n", "\r\n");
  }
  static gui::WorkspaceOptions options(const TempDir& copies, const OwnEnergy& own) {
    gui::WorkspaceOptions options = workspace_options({own.folder().toStdString()});
    options.energyCopies = QString::fromStdString(copies.path().string());
    return options;
  }
  void write(const char* name, const QString& text) const {
    std::ofstream((own.folder() + '/').toStdString() + name) << text.toStdString();
  }
  QString second() const { return own.folder() + "/second.lua"; }
  void open(const QString& problem) {
    workspace.open({.problem = problem, .device = "cpu"}, "default");
    ASSERT_TRUE(wait_until([&] {
      return workspace.problems().problem().state == gui::RemoteState::Failed ||
             workspace.schedule().schedule().isReady();
    }));
    ASSERT_EQ(workspace.problems().problem().error.toStdString(), "");
  }
  QPlainTextEdit& text() { return *window.findChild<QPlainTextEdit*>("energyText"); }
  QMessageBox* question(const char* name) {
    for (auto* box : window.findChildren<QMessageBox*>(name))
      if (box->isVisible()) return box;
    return nullptr;
  }

  const OwnEnergy own;
  const TempDir copies;
  gui::Workspace workspace{options(copies, own)};
  gui::MainWindow window{workspace};
};

// Takes seconds, since Qt gives every widget its style again. It alone finds texts that are taken
// from a hidden editor. The page of the editor comes last, so that it is first as it was made and
// then has the text of the problem before.
TEST_F(UntypedEnergy, StaysAsItIsWhenTheThemeChanges) {
  QStringList pages;
  for (const gui::Page* page : window.pages()) pages.prepend(page->id());
  ASSERT_EQ(pages.back(), "problem");
  pages.append("graph");
  for (const QString& page : pages) {
    ASSERT_TRUE(window.showPage(page));
    for (const char* problem : {"own_energy", "curve_fit", "second"}) {
      ASSERT_NO_FATAL_FAILURE(open(problem));
      QTest::keyClick(&window, Qt::Key_T, Qt::ControlModifier);
      ASSERT_TRUE(wait_until_shown());
      QCoreApplication::processEvents();
      ASSERT_FALSE(window.isWindowModified()) << page.toStdString() << ' ' << problem;
      ASSERT_FALSE(workspace.energyText().isUnsaved()) << page.toStdString() << ' ' << problem;
    }
  }
  EXPECT_TRUE(window.close()) << "nothing is asked";
  EXPECT_EQ(content(own.energy()), OwnEnergy::text());
  EXPECT_EQ(content(second()), windows_text());
  EXPECT_FALSE(QDirIterator(QString::fromStdString(copies.path().string()), {"*.lua"}, QDir::Files,
                            QDirIterator::Subdirectories)
                   .hasNext());
}

TEST_F(UntypedEnergy, KeepsItsEndsOfLinesAndTheFileBefore) {
  ASSERT_NO_FATAL_FAILURE(open("second"));
  ASSERT_TRUE(wait_until_shown());
  QTest::keyClicks(&text(), "-- mine");
  QTest::keyClick(&text(), Qt::Key_Return);
  EXPECT_TRUE(window.isWindowModified());
  while (text().document()->isUndoAvailable()) text().undo();
  EXPECT_FALSE(window.isWindowModified());
  QTest::keyClicks(&text(), "-- mine");
  QTest::keyClick(&text(), Qt::Key_Return);
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(workspace.energyText().saveAs(second()));
    EXPECT_EQ(content(second()), "-- mine\r\n" + windows_text());
    EXPECT_EQ(content(second() + '~'), windows_text()) << "also when saved once more";
  }
}

TEST_F(UntypedEnergy, IsNotEmptiedWithoutAQuestion) {
  ASSERT_NO_FATAL_FAILURE(open("own_energy"));
  ASSERT_TRUE(wait_until_shown());
  text().selectAll();
  QTest::keyClick(&text(), Qt::Key_Delete);
  window.close();
  QTest::mouseClick(question("unsavedEnergy")->button(QMessageBox::Save), Qt::LeftButton);
  QMessageBox* box = question("energyNotSaved");
  ASSERT_NE(box, nullptr);
  EXPECT_TRUE(box->text().startsWith("Nothing is left of the energy")) << box->text().toStdString();
  QTest::mouseClick(box->button(QMessageBox::Cancel), Qt::LeftButton);
  EXPECT_TRUE(window.isVisible());
  EXPECT_EQ(content(own.energy()), OwnEnergy::text());
}

TEST_F(UntypedEnergy, ThatShipsIsDuplicatedAndNeverWritten) {
  ASSERT_NO_FATAL_FAILURE(open("image_warping"));
  ASSERT_TRUE(wait_until_shown());
  EXPECT_TRUE(text().isReadOnly());
  const auto source = workspace.problems().source();
  EXPECT_FALSE(source->isOwn);
  const auto written = gui::writeFile(source->file, source->text.toUtf8());
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().message(),
            source->file.toStdString() +
                " cannot be written: it ships with Thallo; save a copy, which is yours");
  EXPECT_EQ(content(source->file), source->text);
  QTest::mouseClick(window.findChild<QPushButton*>("duplicateEnergy"), Qt::LeftButton);
  auto* dialog = window.findChild<QFileDialog*>("saveEnergyAs");
  ASSERT_NE(dialog, nullptr);
  const QString mine = own.folder() + "/mine.lua";
  Q_EMIT dialog->fileSelected(mine);
  EXPECT_EQ(content(mine), source->text);
  EXPECT_NE(window.findChild<QDialog*>("newEnergyDialog"), nullptr);
}

}  // namespace
}  // namespace thallo::test
