// What the switches of a search buy: runs in the background, and the dialog that asks for them.
#include <gtest/gtest.h>
#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QSpinBox>
#include <QTableWidget>
#include <QTest>

#include "gui/space/view/ablation_dialog.h"
#include "tests/gui/qt_environment.h"

namespace thallo::test {
namespace {

class AblationOfASearch : public testing::Test {
 protected:
  gui::AblationModel& model() { return open.workspace.space().ablation(); }
  bool wait_until_done() {
    return wait_until([this] { return !model().isRunning(); });
  }
  template <class T>
  T& child(const QString& name) {
    return *dialog.findChild<T*>(name);
  }
  void click(const QString& name) { QTest::mouseClick(&child<QPushButton>(name), Qt::LeftButton); }

  OpenWorkspace open{{.problem = "curve_fit", .device = "h200"}};
  QWidget window;
  gui::AblationDialog& dialog = *gui::AblationDialog::show(open.workspace, &window);
};

TEST_F(AblationOfASearch, ComparesAllCombinationsOfTheSwitches) {
  open.workspace.space().ablate({.search = "beam", .switches = {"sampling", "freezing"}});
  EXPECT_TRUE(model().isRunning());
  ASSERT_TRUE(wait_until_done());
  ASSERT_TRUE(model().table().isReady()) << model().table().error.toStdString();
  const gui::AblationTable& table = *model().table().value;
  ASSERT_EQ(table.lines.size(), 4u);
  EXPECT_EQ(table.numAsked, 4u);
  EXPECT_EQ(table.lines[0].isOn, (std::vector{true, true}));
  EXPECT_EQ(table.lines[3].isOn, (std::vector{false, false}));
  double least = table.lines[0].percentOff;
  for (const gui::AblationLine& line : table.lines) {
    EXPECT_TRUE(line.hasEnded);
    EXPECT_GT(line.predicted, 0);
    EXPECT_EQ(line.figures.size(), table.figureNames.size());
    least = std::min(least, line.percentOff);
  }
  EXPECT_EQ(least, 0);
  EXPECT_TRUE(table.figureNames.contains("states priced"));
}

TEST_F(AblationOfASearch, SaysWhyItCannotRun) {
  open.workspace.space().ablate({.search = "greedy", .switches = {"sampling"}});
  ASSERT_TRUE(wait_until_done());
  EXPECT_EQ(model().table().state, gui::RemoteState::Failed);
  EXPECT_TRUE(model().table().error.contains("no switch 'sampling'"))
      << model().table().error.toStdString();
}

TEST_F(AblationOfASearch, EndsWhenItIsStopped) {
  QStringList switches;
  for (const auto& search : open.workspace.problems().catalog().value->searches) {
    if (search.name != "beam") continue;
    for (const auto& field : search.options)
      if (field.type == gui::OptionField::Type::Bool && switches.size() < 8)
        switches.append(field.name);
  }
  open.workspace.space().ablate({.search = "beam", .switches = switches});
  model().stop();
  ASSERT_TRUE(wait_until_done());
  ASSERT_TRUE(model().table().isReady()) << model().table().error.toStdString();
  EXPECT_LT(model().table().value->lines.size(), model().table().value->numAsked);
}

TEST_F(AblationOfASearch, IsForgottenWithItsProblem) {
  open.workspace.space().ablate({.search = "beam", .switches = {"sampling"}});
  open.workspace.open({.problem = "bundle_fusion", .device = "h200"}, "default");
  EXPECT_FALSE(model().isRunning());
  EXPECT_EQ(model().table().state, gui::RemoteState::Empty);
}

TEST_F(AblationOfASearch, IsAskedForInADialog) {
  auto& search = child<QComboBox>("ablationSearch");
  EXPECT_EQ(search.findText("random"), -1) << "it has no switches";
  search.setCurrentText("beam");
  EXPECT_TRUE(child<QPushButton>("ablationRun").isEnabled());
  EXPECT_FALSE(child<QPushButton>("ablationStop").isEnabled());
  child<QSpinBox>("ablationSeconds").setValue(7);
  EXPECT_EQ(child<QLabel>("ablationNote").text(), "4 runs, 28 s at most.");
  for (auto* box : dialog.findChildren<QCheckBox*>()) box->setChecked(false);
  EXPECT_FALSE(child<QPushButton>("ablationRun").isEnabled());
  EXPECT_TRUE(child<QLabel>("ablationNote").text().startsWith("Choose the switches"));
  child<QCheckBox>("switch_memoize").setChecked(true);
  EXPECT_EQ(child<QTableWidget>("ablationTable").rowCount(), 0);
  click("ablationRun");
  EXPECT_FALSE(child<QPushButton>("ablationRun").isEnabled());
  EXPECT_TRUE(child<QPushButton>("ablationStop").isEnabled());
  ASSERT_TRUE(wait_until_done());
  auto& table = child<QTableWidget>("ablationTable");
  EXPECT_EQ(table.rowCount(), 2);
  EXPECT_EQ(table.horizontalHeaderItem(0)->text(), "memoize");
  EXPECT_EQ(table.item(0, 0)->text(), "on");
  EXPECT_EQ(table.item(1, 0)->text(), "off");
  // It is there again when the dialog is opened again.
  QWidget other;
  const gui::AblationDialog& again = *gui::AblationDialog::show(open.workspace, &other);
  EXPECT_EQ(again.findChild<QTableWidget*>("ablationTable")->rowCount(), 2);
  EXPECT_TRUE(again.findChild<QCheckBox*>("switch_memoize")->isChecked());
  EXPECT_FALSE(again.findChild<QCheckBox*>("switch_sampling")->isChecked());
}

}  // namespace
}  // namespace thallo::test
