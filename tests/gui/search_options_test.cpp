// The options of a search: a form of its own, and what an exploration makes of them.
#include <gtest/gtest.h>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QLineEdit>
#include <QPushButton>
#include <QTest>
#include <QToolButton>

#include "gui/space/view/exploration_panel.h"
#include "gui/space/view/search_options_dialog.h"
#include "tests/gui/qt_environment.h"

namespace thallo::test {
namespace {

class SearchOptionsOfThePanel : public testing::Test {
 protected:
  void choose(const QString& search) {
    panel.show();
    panel.findChild<QComboBox*>("exploreSearch")->setCurrentText(search);
  }
  QToolButton& button() { return *panel.findChild<QToolButton*>("searchOptions"); }
  gui::SearchOptionsDialog& open_dialog() {
    QTest::mouseClick(&button(), Qt::LeftButton);
    return *panel.findChild<gui::SearchOptionsDialog*>();
  }
  static void enter(QWidget& dialog, const char* option, const QString& text) {
    auto* line = dialog.findChild<QLineEdit*>(option);
    line->selectAll();
    QTest::keyClicks(line, text);
  }
  static void press(QWidget& dialog, QDialogButtonBox::StandardButton which) {
    QTest::mouseClick(dialog.findChild<QDialogButtonBox*>()->button(which), Qt::LeftButton);
  }

  OpenWorkspace open{
      {.problem = "bundle_fusion", .options = {{"dense", "false"}}, .device = "h200"}};
  gui::ExplorationPanel panel{open.workspace};
};

TEST_F(SearchOptionsOfThePanel, AreSetInAForm) {
  choose("beam");
  EXPECT_EQ(button().text(), "…");
  QWidget& dialog = open_dialog();
  enter(dialog, "option_width", "7");
  press(dialog, QDialogButtonBox::Ok);
  const gui::OptionForm::Values set = {{"width", "7"}};
  EXPECT_EQ(panel.settings().searchOptions, set);
  EXPECT_EQ(button().text(), "1 …");
  choose("exact");
  EXPECT_TRUE(panel.settings().searchOptions.empty()) << "those of another search";
  choose("beam");
  EXPECT_EQ(panel.settings().searchOptions, set);
}

TEST_F(SearchOptionsOfThePanel, AreNotTakenWhileOneIsWrongOrWhenCancelled) {
  choose("beam");
  QWidget& dialog = open_dialog();
  enter(dialog, "option_width", "-3");
  EXPECT_FALSE(dialog.findChild<QDialogButtonBox*>()->button(QDialogButtonBox::Ok)->isEnabled());
  press(dialog, QDialogButtonBox::RestoreDefaults);
  EXPECT_TRUE(dialog.findChild<QDialogButtonBox*>()->button(QDialogButtonBox::Ok)->isEnabled());
  enter(dialog, "option_width", "7");
  press(dialog, QDialogButtonBox::Cancel);
  EXPECT_TRUE(panel.settings().searchOptions.empty());
}

TEST_F(SearchOptionsOfThePanel, AreOfferedWhereASearchHasSome) {
  choose("random");
  EXPECT_FALSE(button().isEnabled());
  EXPECT_TRUE(button().toolTip().contains("has no options"));
}

TEST_F(SearchOptionsOfThePanel, EndAnExplorationThatTheyAreWrongFor) {
  gui::ExplorationModel& exploration = open.workspace.space().exploration();
  gui::ExplorationSettings settings{.search = "beam", .searchOptions = {{"width", "many"}}};
  open.workspace.space().explore(settings);
  ASSERT_TRUE(wait_until([&] { return !exploration.isRunning(); }));
  EXPECT_EQ(exploration.state(), gui::ExplorationModel::State::Failed);
  EXPECT_TRUE(exploration.error().contains("width")) << exploration.error().toStdString();
}

}  // namespace
}  // namespace thallo::test
