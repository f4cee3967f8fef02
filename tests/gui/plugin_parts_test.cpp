// A search, a cost model and a front end that a plugin adds (tests/abi/plugins/parts.cpp), in the
// boxes of the app.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <QAbstractItemView>
#include <QApplication>
#include <QComboBox>
#include <QPlainTextEdit>
#include <QTest>

#include "gui/app/main_window.h"
#include "gui/problem/view/problem_page.h"
#include "tests/gui/qt_environment.h"
#include "tests/gui/shown_windows.h"
#include "tests/support/temp_dir.h"

namespace thallo::test {
namespace {

using testing::HasSubstr;

QStringList items(const QComboBox& box) {
  QStringList texts;
  for (int i = 0; i < box.count(); ++i) texts.append(box.itemText(i));
  return texts;
}

class PluginPartsInTheApp : public testing::Test {
 protected:
  PluginPartsInTheApp() {
    window.resize(1200, 800);
    window.show();
    workspace.problems().rescan();
    EXPECT_TRUE(wait_until([this] { return workspace.problems().catalog().isReady(); }));
  }
  template <class T>
  T& find(const QString& name) {
    auto* found = window.findChild<T*>(name);
    EXPECT_NE(found, nullptr) << name.toStdString();
    return *found;
  }
  bool is_open() {
    return wait_until([this] { return workspace.problems().problem().isReady(); }) &&
           wait_until_shown();
  }

  TempDir folder;
  gui::Workspace workspace{workspace_options({THALLO_PARTS_FOLDER, folder.path().string()})};
  gui::MainWindow window{workspace};
};

TEST_F(PluginPartsInTheApp, AreInItsBoxes) {
  const auto& search = find<QComboBox>("exploreSearch");
  EXPECT_EQ(items(search), QStringList({"autotune", "beam", "ends", "exact", "exhaustive", "greedy",
                                        "random", "timed"}));
  EXPECT_EQ(search.currentText(), "random") << "what it begins with";
  EXPECT_THAT(search.toolTip().toStdString(), HasSubstr("ends: The first schedule"));
  const auto& model = find<QComboBox>("modelChoice");
  EXPECT_EQ(items(model),
            QStringList({"analytic", "counting", "learned", "learned-linear", "roofline"}));
  EXPECT_THAT(model.toolTip().toStdString(), HasSubstr("counting: Every step takes a second."));
}

TEST_F(PluginPartsInTheApp, PredictTheTimesOfAProblem) {
  auto& model = find<QComboBox>("modelChoice");
  const auto auto_seconds = [this] {
    for (const gui::NamedSchedule& named : workspace.problems().problem().value->schedules)
      if (named.name == "default") return named.seconds.value_or(0);
    return 0.0;
  };
  workspace.open({.problem = "curve_fit", .device = "h200"});
  ASSERT_TRUE(is_open());
  EXPECT_LT(auto_seconds(), 1);
  model.setCurrentText("counting");
  auto& page = *window.findChild<gui::ProblemPage*>();
  QTest::mouseClick(page.findChild<QPushButton*>("openProblem"), Qt::LeftButton);
  ASSERT_EQ(workspace.problems().request().model, "counting");
  ASSERT_TRUE(is_open());
  EXPECT_GE(auto_seconds(), 1);
  EXPECT_EQ(workspace.problems().opened()->target().model, "counting");
}

TEST_F(PluginPartsInTheApp, ReadAnEnergyThatIsEdited) {
  folder.write("points.near", "A = 3\n");
  folder.write("points.toml", "title = 'Points'\n[bind]\nN = 5\n");
  workspace.openFile(QString::fromStdString((folder.path() / "points.toml").string()));
  ASSERT_TRUE(is_open()) << workspace.problems().problem().error.toStdString();
  const gui::EnergyWords& words = workspace.problems().problem().value->source.words;
  EXPECT_EQ(words.comment, "#");
  EXPECT_EQ(words.keywords, QStringList{"near"});
  auto& energy = find<QPlainTextEdit>("energyText");
  ASSERT_FALSE(energy.isReadOnly());
  energy.selectAll();
  QTest::keyClicks(&energy, "nearl");
  QAbstractItemView* list = nullptr;
  for (QWidget* widget : QApplication::topLevelWidgets())
    if (widget->objectName() == "energyCompletions")
      list = qobject_cast<QAbstractItemView*>(widget);
  ASSERT_NE(list, nullptr);
  ASSERT_TRUE(wait_until([&] { return list->isVisible(); }));
  QTest::keyClick(list, Qt::Key_Return);
  EXPECT_EQ(energy.toPlainText(), "nearly");
  energy.setPlainText("A is 3\n");
  auto& fault = find<QLabel>("energyFault");
  ASSERT_TRUE(wait_until([&] { return !fault.text().isEmpty(); }));
  EXPECT_THAT(fault.text().toStdString(), HasSubstr("points.near:1:1: 'A is 3' is no line"));
}

}  // namespace
}  // namespace thallo::test
