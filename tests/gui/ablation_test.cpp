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
  QDialog& dialog = *gui::showAblation(open.workspace, &window);
};

TEST_F(AblationOfASearch, ComparesAllCombinationsOfTheSwitches) {
  open.workspace.space().ablate({.search = "beam", .switches = {"sampling", "freezing"}});
  EXPECT_TRUE(model().isRunning());
  ASSERT_TRUE(wait_until_done());
  ASSERT_TRUE(model().table().isReady()) << model().table().error.toStdString();
  const gui::AblationTable& table = *model().table().value;
  ASSERT_EQ(table.found.rows.size(), 4u);
  EXPECT_EQ(table.numAsked, 4u);
  const std::vector<AblationRow>& rows = table.found.rows;
  using Switches = std::vector<std::pair<std::string, bool>>;
  EXPECT_EQ(rows[0].switches, (Switches{{"sampling", true}, {"freezing", true}}));
  EXPECT_EQ(rows[3].switches, (Switches{{"sampling", false}, {"freezing", false}}));
  for (const AblationRow& row : rows) {
    EXPECT_TRUE(row.has_ended);
    EXPECT_GT(row.best, 0);
    EXPECT_EQ(row.figures.size(), rows[0].figures.size());
  }
  EXPECT_EQ(std::ranges::count(rows[0].figures, "states priced", &SearchFigure::name), 1);
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
      if (std::holds_alternative<bool>(field.default_value) && switches.size() < 8)
        switches.append(QString::fromStdString(field.name));
  }
  open.workspace.space().ablate({.search = "beam", .switches = switches});
  model().stop();
  ASSERT_TRUE(wait_until_done());
  ASSERT_TRUE(model().table().isReady()) << model().table().error.toStdString();
  EXPECT_LT(model().table().value->found.rows.size(), model().table().value->numAsked);
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
  const QDialog& again = *gui::showAblation(open.workspace, &other);
  EXPECT_EQ(again.findChild<QTableWidget*>("ablationTable")->rowCount(), 2);
  EXPECT_TRUE(again.findChild<QCheckBox*>("switch_memoize")->isChecked());
  EXPECT_FALSE(again.findChild<QCheckBox*>("switch_sampling")->isChecked());
}

}  // namespace
}  // namespace thallo::test
