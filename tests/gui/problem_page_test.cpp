#include "gui/problem/view/problem_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <QAbstractItemModelTester>
#include <QComboBox>
#include <QFile>
#include <QTableView>
#include <QTableWidget>
#include <QTest>

#include "gui/app/main_window.h"
#include "gui/problem/view/new_energy_dialog.h"
#include "gui/problem/view/plugin_dialog.h"
#include "tests/gui/own_energy.h"
#include "tests/gui/qt_environment.h"
#include "tests/gui/shown_windows.h"

namespace thallo::test {
namespace {

using testing::HasSubstr;

class ProblemPageTest : public testing::Test {
 protected:
  ProblemPageTest() {
    workspace.problems().rescan();
    window.resize(1200, 800);
    window.show();
    EXPECT_TRUE(wait_until([this] { return page().state() == gui::RemoteState::Ready; }));
  }
  gui::ProblemPage& page() { return *window.findChild<gui::ProblemPage*>(); }
  template <class T>
  T& find(const QString& name) {
    auto* found = window.findChild<T*>(name);
    EXPECT_NE(found, nullptr) << name.toStdString();
    return *found;
  }
  void select(const QString& problem) {
    auto& cards = find<QListView>("problemCards");
    const auto matches =
        cards.model()->match(cards.model()->index(0, 0), gui::ProblemList::NameRole, problem);
    ASSERT_EQ(matches.size(), 1);
    cards.scrollTo(matches.front());
    QTest::mouseClick(cards.viewport(), Qt::LeftButton, {},
                      cards.visualRect(matches.front()).center());
  }
  bool is_open(const QString& problem) {
    return wait_until([&] {
             const auto& open = workspace.problems().problem();
             return (open.isReady() && open.value->request.problem == problem) ||
                    open.state == gui::RemoteState::Failed;
           }) &&
           workspace.problems().problem().isReady() && wait_until_shown();
  }
  std::string text(const QString& label) { return find<QLabel>(label).text().toStdString(); }

  const LogCapture quiet;
  gui::Workspace workspace{workspace_options()};
  gui::MainWindow window{workspace};
};

TEST_F(ProblemPageTest, ShowsCardsThatASearchNarrows) {
  const int all = page().itemCount();
  EXPECT_GE(all, 15);
  const QAbstractItemModelTester tests(find<QListView>("problemCards").model(),
                                       QAbstractItemModelTester::FailureReportingMode::Fatal);
  QTest::keyClicks(&find<QLineEdit>("problemSearch"), "mesh");
  EXPECT_GT(page().itemCount(), 0);
  EXPECT_LT(page().itemCount(), all);
}

TEST_F(ProblemPageTest, OpensWhatASearchFoundByEnter) {
  auto& search = find<QLineEdit>("problemSearch");
  QTest::keyClicks(&search, "no problem has these words");
  QTest::keyClick(&search, Qt::Key_Return);
  EXPECT_EQ(workspace.problems().problem().state, gui::RemoteState::Empty);
  search.setText("curve_fit");
  ASSERT_EQ(page().itemCount(), 1);
  EXPECT_TRUE(wait_until([this] {
    return find<QListView>("problemCards").currentIndex().row() == 0;
  })) << "what Enter opens is seen";
  QTest::keyClick(&search, Qt::Key_Return);
  EXPECT_TRUE(is_open("curve_fit"));
}

TEST_F(ProblemPageTest, OpensByEnterAtOnceWhatWasTyped) {
  auto& search = find<QLineEdit>("problemSearch");
  QTest::keyClicks(&search, "curve_fit");
  QTest::keyClick(&search, Qt::Key_Return);
  EXPECT_TRUE(is_open("curve_fit"));
}

TEST_F(ProblemPageTest, SaysAFaultOfAnOptionAsItIsTyped) {
  select("image_warping");
  EXPECT_EQ(text("problemTitle"), "Image warping");
  auto& size = find<QLineEdit>("option_size");
  const std::string doc = text("note_size");
  size.clear();
  QTest::keyClicks(&size, "12x");
  EXPECT_THAT(text("note_size"), HasSubstr("'12x' is none"));
  EXPECT_FALSE(find<QPushButton>("openProblem").isEnabled());
  size.setText("-4");
  EXPECT_THAT(text("note_size"), HasSubstr("out of range, at least"));
  size.setText("64");
  EXPECT_EQ(text("note_size"), doc);
  EXPECT_TRUE(find<QPushButton>("openProblem").isEnabled());
}

TEST_F(ProblemPageTest, OpensAProblemWithTheOptionsThatWereChanged) {
  select("image_warping");
  find<QLineEdit>("option_size").setText("32");
  auto& device = find<QComboBox>("deviceChoice");
  ASSERT_TRUE(wait_until([&] { return device.findData("h200") >= 0; }));
  device.setCurrentIndex(device.findData("h200"));
  QTest::mouseClick(&find<QPushButton>("openProblem"), Qt::LeftButton);
  ASSERT_TRUE(is_open("image_warping"));
  const gui::ProblemRequest& request = workspace.problems().request();
  ASSERT_EQ(request.options.size(), 1);
  EXPECT_EQ(request.options.front(), std::pair(QString("size"), QString("32")));
  EXPECT_EQ(request.device, "h200");
  EXPECT_THAT(text("problemLabels"), HasSubstr("32 x 32"));
  const auto& energy = find<QPlainTextEdit>("energyText");
  EXPECT_THAT(energy.toPlainText().toStdString(), HasSubstr("Inputs {"));
  EXPECT_TRUE(energy.isReadOnly()) << "it is not the user's own";
  find<QToolButton>("asUnderstood").click();
  EXPECT_THAT(energy.toPlainText().toStdString(), HasSubstr("unknown Offset(W, H)"));
  EXPECT_EQ(workspace.recent().all().front().request, request);
}

TEST_F(ProblemPageTest, OpensTheSelectedCardByEnterAndByADoubleClick) {
  select("poisson_image_editing");
  EXPECT_EQ(workspace.problems().problem().state, gui::RemoteState::Empty);
  auto& cards = find<QListView>("problemCards");
  QTest::keyClick(&cards, Qt::Key_Return);
  ASSERT_TRUE(is_open("poisson_image_editing"));
  select("curve_fit");
  QTest::mouseDClick(cards.viewport(), Qt::LeftButton, {},
                     cards.visualRect(cards.currentIndex()).center());
  EXPECT_TRUE(is_open("curve_fit"));
}

TEST_F(ProblemPageTest, StaysUsableWhenAProblemDoesNotOpen) {
  workspace.open({.problem = "image_warping", .options = {{"file", "/no/such.png"}}});
  ASSERT_TRUE(
      wait_until([&] { return workspace.problems().problem().state == gui::RemoteState::Failed; }));
  EXPECT_EQ(text("problemStatus"), workspace.problems().problem().error.toStdString());
  EXPECT_THAT(text("problemStatus"), HasSubstr("/no/such.png"));
  EXPECT_EQ(page().state(), gui::RemoteState::Ready);
  EXPECT_EQ(find<QLineEdit>("option_file").text(), "/no/such.png");
  QTest::mouseClick(&find<QPushButton>("retryProblem"), Qt::LeftButton);
  EXPECT_EQ(workspace.problems().problem().state, gui::RemoteState::Busy);
  EXPECT_TRUE(find<QListView>("problemCards").isEnabled());
  ASSERT_TRUE(
      wait_until([&] { return workspace.problems().problem().state == gui::RemoteState::Failed; }));
}

TEST_F(ProblemPageTest, OpensAnEnergyOfOnesOwnByAskingForItsInputs) {
  const OwnEnergy own;
  page().openFile(own.energy());
  auto& dialog = find<QDialog>("newEnergyDialog");
  ASSERT_TRUE(wait_until([&] { return dialog.findChild<QLineEdit*>("input_A") != nullptr; }));
  auto& write = find<QPushButton>("writeProblemFile");
  EXPECT_FALSE(write.isEnabled());
  for (const auto& [name, value] : OwnEnergy::bindings())
    dialog.findChild<QLineEdit*>("input_" + name)->setText(value);
  ASSERT_TRUE(write.isEnabled());
  dialog.findChild<QLineEdit*>("input_A")->setText("missing.png");
  ASSERT_TRUE(wait_until([&] { return find<QLabel>("note_A").isVisible(); }));
  EXPECT_THAT(text("note_A"), HasSubstr("there is no file"));
  EXPECT_THAT(text("note_A"), HasSubstr("missing.png"));
  EXPECT_FALSE(write.isEnabled());
  dialog.findChild<QLineEdit*>("input_A")->setText("ramp.0");
  ASSERT_TRUE(wait_until([&] { return write.isEnabled() && !find<QLabel>("note_A").isVisible(); }));
  QTest::mouseClick(&write, Qt::LeftButton);
  ASSERT_TRUE(is_open("own_energy")) << workspace.problems().problem().error.toStdString();
  EXPECT_EQ(workspace.problems().problem().value->unknowns, 16 * 12);
  EXPECT_EQ(workspace.recent().all().front().file, own.problemFile());
}

TEST_F(ProblemPageTest, ChecksAnEnergyOfOnesOwnAsItIsTypedAndOpensWhatIsSaved) {
  const OwnEnergy own;
  ASSERT_TRUE(own.writeProblemFile());
  page().openFile(own.energy());
  ASSERT_TRUE(is_open("own_energy"));
  auto& energy = find<QPlainTextEdit>("energyText");
  ASSERT_FALSE(energy.isReadOnly());
  EXPECT_EQ(workspace.problems().problem().value->precision, "mixed");
  QTest::keyClicks(&energy, "x");
  ASSERT_TRUE(wait_until([&] { return find<QLabel>("energyFault").isVisible(); }));
  EXPECT_THAT(text("energyFault"), HasSubstr("own_energy.lua:1"));
  EXPECT_FALSE(find<QPushButton>("saveEnergy").isEnabled());
  find<QToolButton>("asUnderstood").click();
  find<QToolButton>("asWritten").click();
  EXPECT_TRUE(energy.toPlainText().startsWith("xlocal")) << "what was typed is kept";
  const QString mended = OwnEnergy::text().replace("X(x + 1, y)", "X(x, y + 1)");
  energy.setPlainText(mended);
  QTextCursor cursor = energy.textCursor();
  cursor.setPosition(17);
  energy.setTextCursor(cursor);
  QTest::mouseClick(&find<QPushButton>("saveEnergy"), Qt::LeftButton);
  ASSERT_TRUE(wait_until([&] { return content(own.energy()) == mended; }));
  EXPECT_FALSE(find<QLabel>("energyFault").isVisible());
  ASSERT_TRUE(is_open("own_energy"));
  EXPECT_EQ(energy.textCursor().position(), 17) << "where it is typed on";
  EXPECT_THAT(workspace.problems().problem().value->energyText.toStdString(), HasSubstr("h + 1"));
}

TEST_F(ProblemPageTest, OpensTheTextOfAFaultyEnergyToBeMended) {
  const OwnEnergy own;
  ASSERT_TRUE(own.writeProblemFile());
  std::ofstream(own.energy().toStdString())
      << QString(OwnEnergy::text()).replace("w *", "v *").toStdString();
  page().openFile(own.problemFile());
  ASSERT_TRUE(wait_until([&] { return find<QLabel>("energyFault").isVisible(); }));
  EXPECT_EQ(workspace.problems().problem().state, gui::RemoteState::Failed);
  EXPECT_THAT(text("energyFault"), HasSubstr("own_energy.lua:4"));
  auto& energy = find<QPlainTextEdit>("energyText");
  EXPECT_FALSE(energy.isReadOnly());
  EXPECT_EQ(energy.textCursor().blockNumber(), 3);
  EXPECT_FALSE(find<QWidget>("problemSizes").isVisible());
  EXPECT_FALSE(window.isWindowModified());
  energy.setPlainText(OwnEnergy::text());
  QTest::mouseClick(&find<QPushButton>("saveEnergy"), Qt::LeftButton);
  ASSERT_TRUE(wait_until([&] { return content(own.energy()) == OwnEnergy::text(); }));
  ASSERT_TRUE(is_open("own_energy")) << workspace.problems().problem().error.toStdString();
}

TEST_F(ProblemPageTest, SaysWhyAProblemFileIsRefused) {
  const OwnEnergy own;
  std::ofstream(own.problemFile().toStdString()) << "tilte = \"typo\"\n";
  page().openFile(own.problemFile());
  ASSERT_TRUE(
      wait_until([&] { return workspace.problems().problem().state == gui::RemoteState::Failed; }));
  EXPECT_THAT(text("problemStatus"), HasSubstr("did you mean 'title'"));
  QTest::mouseClick(&find<QToolButton>("showPlugins"), Qt::LeftButton);
  EXPECT_THAT(find<QToolButton>("showPlugins").text().toStdString(), HasSubstr("1 failed"));
  EXPECT_EQ(find<QTableWidget>("pluginTable").item(0, 1)->text(), "failed");
  EXPECT_NE(find<QTableWidget>("pluginTable").item(1, 1)->text(), "failed");
  EXPECT_THAT(find<QPlainTextEdit>("pluginFault").toPlainText().toStdString(),
              HasSubstr("unknown key 'tilte'"));
  QFile::remove(own.problemFile());
  QTest::mouseClick(&find<QPushButton>("rescan"), Qt::LeftButton);
  ASSERT_TRUE(wait_until([&] { return workspace.problems().catalog().isReady(); }));
  EXPECT_TRUE(find<QPlainTextEdit>("pluginFault").isHidden());
}

TEST_F(ProblemPageTest, CountsWarningsAtTheLogUntilItIsRead) {
  gui::LogModel& log = workspace.log();
  log.clear();
  logger("gui").warn("something is odd");
  auto& show = find<QToolButton>("showLog");
  ASSERT_TRUE(wait_until([&] { return show.text() == "log (1)"; }));
  QTest::mouseClick(&show, Qt::LeftButton);
  EXPECT_EQ(show.text(), "log");
  EXPECT_EQ(find<QTableView>("logTable").model()->rowCount(), 1);
}

}  // namespace
}  // namespace thallo::test
