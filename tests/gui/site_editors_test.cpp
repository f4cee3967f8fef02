// Each kind of editor, with the constructs of Thallo and with those of a plugin that the app
// does not know.
#include <algorithm>
#include <memory>

#include <gtest/gtest.h>
#include <QComboBox>
#include <QFrame>
#include <QLabel>
#include <QListWidget>
#include <QTest>

#include "gui/schedule/view/editors/chip.h"
#include "gui/schedule/view/editors/site_editor.h"
#include "tests/gui/mouse.h"
#include "tests/gui/schedule_page_driver.h"

namespace thallo::test {
namespace {

void click(QWidget* widget) {
  if (widget != nullptr) QTest::mouseClick(widget, Qt::LeftButton);
}

class Editors : public testing::Test {
 protected:
  SchedulePageDriver driver{"poisson_image_editing"};
};

TEST_F(Editors, ACardChangesTheTextAndThePredictedTime) {
  driver.go_to("strategy", "reg_down");
  const double before = driver.time();
  auto* card = driver.find<QAbstractButton>("card [JtJ]p");
  EXPECT_FALSE(card->isChecked());
  EXPECT_TRUE(card->accessibleDescription().contains('%'))
      << card->accessibleDescription().toStdString();
  click(card);
  EXPECT_EQ(driver.text(), "r.reg_down:strategy(\"[JtJ]p\")\n");
  EXPECT_NE(driver.time(), before);
  EXPECT_TRUE(driver.find<QAbstractButton>("card [JtJ]p")->isChecked());
}

TEST_F(Editors, AnIllegalCardDoesNothingAndSaysWhy) {
  const auto isIllegal = [](const gui::ChoiceRow& choice) { return !choice.illegal.isEmpty(); };
  const auto site = std::ranges::find_if(driver.table().sites, [&](const gui::SiteRow& row) {
    return gui::editorKindOf(row) == gui::EditorKind::Cards &&
           std::ranges::any_of(row.choices, isIllegal);
  });
  ASSERT_NE(site, driver.table().sites.end());
  const gui::ChoiceRow illegal = *std::ranges::find_if(site->choices, isIllegal);
  driver.go_to(site->construct, site->name);
  auto* card = driver.find<QAbstractButton>("card " + illegal.label);
  EXPECT_TRUE(card->toolTip().contains(illegal.illegal));
  EXPECT_TRUE(card->accessibleDescription().contains(illegal.illegal));
  const std::string before = driver.text();
  click(card);
  EXPECT_EQ(driver.text(), before);
  EXPECT_TRUE(driver.find<QLabel>("siteNote")->text().contains(illegal.illegal));
}

TEST_F(Editors, TheKeyboardTakesTheNextCard) {
  driver.go_to("strategy", "reg_down");
  auto* card = driver.find<QAbstractButton>("card Jt[Jp]");
  card->setFocus();
  QTest::keyClick(card, Qt::Key_Return);
  EXPECT_EQ(driver.text(), "r.reg_down:strategy(\"Jt[Jp]\")\n");
}

TEST_F(Editors, AnItemOfAnOrderIsMovedByKeysAndByDragging) {
  driver.go_to("reorder", "reg_down");
  auto* items = driver.find<QListWidget>("orderItems");
  ASSERT_EQ(items->count(), 2);
  items->setCurrentRow(0);
  QTest::keyClick(items, Qt::Key_Down, Qt::AltModifier);
  driver.settle();
  const std::string swapped = driver.text();
  EXPECT_NE(swapped.find("r.reg_down:reorder{"), std::string::npos) << swapped;
  drag(items->viewport(), items->visualItemRect(items->item(1)).center(),
       items->visualItemRect(items->item(0)).center());
  EXPECT_EQ(driver.text(), "");
}

TEST_F(Editors, NumbersAreTakenOnceTheirCombinationIsLegal) {
  const auto site = std::ranges::find_if(driver.table().sites, [](const gui::SiteRow& row) {
    return gui::editorKindOf(row) == gui::EditorKind::Numbers;
  });
  ASSERT_NE(site, driver.table().sites.end());
  driver.go_to(site->construct, site->name);
  auto* rows = driver.find<QComboBox>("number rows");
  auto* threads = driver.find<QComboBox>("number threads");
  QTest::keyClick(rows, Qt::Key_Down);
  EXPECT_EQ(driver.text(), "");
  EXPECT_TRUE(driver.find<QLabel>("numbersStatus")->text().contains("needs threads"));
  QTest::keyClick(threads, Qt::Key_Down);
  EXPECT_NE(driver.text().find("threads=64, rows=1"), std::string::npos) << driver.text();
}

TEST_F(Editors, NumbersFollowWhatIsUndone) {
  const auto site = std::ranges::find_if(driver.table().sites, [](const gui::SiteRow& row) {
    return gui::editorKindOf(row) == gui::EditorKind::Numbers;
  });
  ASSERT_NE(site, driver.table().sites.end());
  driver.go_to(site->construct, site->name);
  auto* threads = driver.find<QComboBox>("number threads");
  const QString before = threads->currentText();
  QTest::keyClick(threads, Qt::Key_Down);
  const QString after = threads->currentText();
  ASSERT_NE(before, after);
  driver.settle();
  EXPECT_EQ(threads->currentText(), after);
  driver.model().history().undo();
  driver.settle();
  EXPECT_EQ(threads->currentText(), before);
  // Undone before the form has heard that it was taken.
  QTest::keyClick(threads, Qt::Key_Down);
  ASSERT_TRUE(wait_until([this] { return driver.model().history().canUndo(); }));
  driver.model().history().undo();
  EXPECT_EQ(driver.text(), "");
  EXPECT_EQ(threads->currentText(), before);
}

TEST_F(Editors, AResidualIsDraggedToAPartOfItsOwnAndBack) {
  driver.go_to("split_merge", "reg_down[2]");
  const std::size_t before = driver.table().groups.front().groups.size();
  auto* chip = driver.find<gui::Chip>("chip reg_down[2]");
  drag(chip, chip->rect().center(), middle_of(driver.find<QFrame>("newGroup"), chip));
  driver.settle();
  EXPECT_EQ(driver.table().groups.front().groups.size(), before + 1);
  EXPECT_NE(driver.text().find("split_merge"), std::string::npos) << driver.text();
  QTest::keyClick(driver.find<gui::Chip>("chip reg_down[2]"), Qt::Key_Left, Qt::AltModifier);
  EXPECT_EQ(driver.text(), "");
}

TEST_F(Editors, TheBoardSaysWhatADropWouldComeTo) {
  driver.go_to("split_merge", "reg_down[2]");
  auto* chip = driver.find<gui::Chip>("chip reg_down[2]");
  const auto* column = driver.find<QFrame>("newGroup");
  QTest::mousePress(chip, Qt::LeftButton, {}, chip->rect().center());
  move_to(chip, middle_of(column, chip));
  auto* verdict = driver.find<QLabel>("boardVerdict");
  EXPECT_TRUE(wait_until([&] { return verdict->text().contains('%'); }))
      << verdict->text().toStdString();
  EXPECT_EQ(driver.text(), "");
  // Dropped where nothing is.
  QTest::mouseRelease(chip, Qt::LeftButton, {}, QPoint(-5000, -5000));
  EXPECT_EQ(driver.text(), "");
}

// One page for all: a problem with more constructs takes long to open.
class UnknownConstructs : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    shared = std::make_unique<SchedulePageDriver>("image_warping", "default",
                                                  std::vector<std::string>{THALLO_EDITED_FOLDER});
  }
  static void TearDownTestSuite() { shared.reset(); }
  void SetUp() override {
    driver.model().take("default", "");
    driver.settle();
  }

  static inline std::unique_ptr<SchedulePageDriver> shared;
  SchedulePageDriver& driver = *shared;
};

TEST_F(UnknownConstructs, OneOfIsCardsWithReasons) {
  driver.go_to("flavor", "reg_down");
  click(driver.find<QAbstractButton>("card salt"));
  EXPECT_TRUE(driver.find<QLabel>("siteNote")->text().contains("it is no flavor"));
  click(driver.find<QAbstractButton>("card chocolate"));
  EXPECT_EQ(driver.text(), "r.reg_down:flavor(\"chocolate\")\n");
  EXPECT_TRUE(driver.find<QLabel>("siteNote")->text().isEmpty());
}

TEST_F(UnknownConstructs, AToggleMayBeOnByDefault) {
  driver.go_to("flag", "reg_down");
  EXPECT_TRUE(driver.find<QAbstractButton>("card on")->isChecked());
  QTest::keyClick(driver.find<QAbstractButton>("card off"), Qt::Key_Space);
  EXPECT_EQ(driver.text(), "r.reg_down:flag(\"off\")\n");
  EXPECT_FALSE(driver.find<QAbstractButton>("card on")->isChecked());
}

TEST_F(UnknownConstructs, AnOrderThatIsNotLegalSnapsBackAndSaysWhy) {
  driver.go_to("queue", "reg_down");
  auto* items = driver.find<QListWidget>("orderItems");
  items->setCurrentRow(1);  // compute
  QTest::keyClick(items, Qt::Key_Down, Qt::AltModifier);
  EXPECT_TRUE(driver.find<QLabel>("siteNote")->text().contains("not computed"));
  driver.settle();
  EXPECT_TRUE(wait_until([&] { return items->item(1)->text().contains("compute"); }));
  EXPECT_EQ(driver.text(), "");
  items->setCurrentRow(1);
  QTest::keyClick(items, Qt::Key_Up, Qt::AltModifier);
  EXPECT_EQ(driver.text(), "r.reg_down:queue(\"compute, load, store\")\n");
}

TEST_F(UnknownConstructs, NumbersSayWhyTheirCombinationIsNotLegal) {
  driver.go_to("tile", "reg_down");
  auto* width = driver.find<QComboBox>("number width");
  auto* height = driver.find<QComboBox>("number height");
  QTest::keyClick(width, Qt::Key_End);
  EXPECT_EQ(driver.text(), "r.reg_down:tile(\"width=32, height=8\")\n");
  const std::string before = driver.text();
  QTest::keyClick(height, Qt::Key_End);
  EXPECT_EQ(driver.text(), before);
  EXPECT_TRUE(driver.find<QLabel>("numbersStatus")->text().contains("256 points at most"));
}

TEST_F(UnknownConstructs, APlacementIsABoardThatRefusesWhatIsNotLegal) {
  driver.go_to("cluster", "reg_left");
  auto* chip = driver.find<gui::Chip>("chip reg_left");
  QTest::keyClick(chip, Qt::Key_Left, Qt::AltModifier);
  EXPECT_EQ(driver.text(), "r.reg_left:cluster(\"with reg_down\")\n");
  const std::string before = driver.text();
  QTest::keyClick(driver.find<gui::Chip>("chip reg_right"), Qt::Key_Left, Qt::AltModifier);
  auto* note = driver.find<QLabel>("siteNote");
  EXPECT_TRUE(wait_until([&] { return note->text().contains("two are enough"); }))
      << note->text().toStdString();
  EXPECT_EQ(driver.text(), before);
}

}  // namespace
}  // namespace thallo::test
