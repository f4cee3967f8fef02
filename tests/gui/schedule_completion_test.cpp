// What is offered while a schedule text is typed, and how it is taken.
#include "gui/schedule/schedule_completion.h"

#include <gtest/gtest.h>
#include <QCompleter>
#include <QPlainTextEdit>
#include <QTest>
#include <QTreeView>

#include "tests/gui/schedule_page_driver.h"

namespace thallo::test {
namespace {

const gui::SiteTable Table{
    .sites = {{.construct = "a",
               .name = "fit",
               .choices = {{.label = "x", .directive = "r.fit:a(\"x\")"},
                           {.label = "y", .directive = "r.fit:a(\"y\")", .change = {{3e-6, 2e-6}}},
                           {.label = "z", .directive = "r.fit:a(\"z\")", .illegal = "too large"}}},
              {.construct = "b", .name = "fit", .choices = {{.directive = "r.fit:b{[2]=\"n\"}"}}},
              {.construct = "a", .name = "w", .choices = {{.directive = "w:a(true)"}}}}};
const std::vector<gui::ConstructInfo> Constructs = {{"a", "Decides it. Well.", "x"}};

// "r.fit: (a, b); w: (a)"
std::string offered(const QString& typed) {
  QStringList items;
  for (const gui::Completion& item : gui::completionsAt(typed, Table, Constructs).items)
    items.append(item.text + (item.words.isEmpty() ? QString() : " (" + item.words + ')'));
  return items.join("; ").toStdString();
}

TEST(ScheduleCompletion, OffersWhatADirectiveCanBeAbout) {
  EXPECT_EQ(offered(""), "r.fit: (a, b); w: (a)");
  EXPECT_EQ(offered("  r"), "r.fit: (a, b)");
}

TEST(ScheduleCompletion, OffersTheConstructsThatDecideThere) {
  EXPECT_EQ(offered("r.fit:"), "a( (Decides it); b{");
  EXPECT_EQ(offered("w : a"), "a( (Decides it)");
  EXPECT_EQ(gui::completionsAt(" r.fit: a", Table, Constructs).begin, 8);
}

TEST(ScheduleCompletion, OffersLegalChoicesWithTheirWords) {
  EXPECT_EQ(offered("r.fit:a("), "\"x\") (as it is); \"y\") (≈ 2.00 µs, −33.3 % (−1.00 µs))");
  EXPECT_EQ(offered("r.fit:a(y"), "\"y\") (≈ 2.00 µs, −33.3 % (−1.00 µs))");
  EXPECT_EQ(offered("r.fit:b{"), "[2]=\"n\"} (as it is)");
}

TEST(ScheduleCompletion, OffersNothingOnceAStatementIsWholeAndInComments) {
  EXPECT_EQ(offered("r.fit:a(\"y\")"), "");
  EXPECT_EQ(offered("-- r"), "");
  EXPECT_EQ(offered("r.fat:"), "");
}

class CompletionInTheText : public testing::Test {
 protected:
  CompletionInTheText() {
    driver.page.activateWindow();
    editor->setFocus();
  }
  QTreeView& list() { return dynamic_cast<QTreeView&>(*editor->findChild<QCompleter*>()->popup()); }
  std::string shown() { return editor->toPlainText().toStdString(); }
  // Of the list, as a person with the keyboard does.
  void take(const QString& text) {
    const QAbstractItemModel& items = *list().model();
    int row = 0;
    while (row < items.rowCount() && items.index(row, 0).data().toString() != text) ++row;
    ASSERT_LT(row, items.rowCount()) << text.toStdString();
    while (list().currentIndex().row() != row) QTest::keyClick(&list(), Qt::Key_Down);
    QTest::keyClick(&list(), Qt::Key_Return);
  }

  SchedulePageDriver driver{"poisson_image_editing"};
  QPlainTextEdit* editor = driver.find<QPlainTextEdit>("scheduleText");
};

TEST_F(CompletionInTheText, WritesADirectiveFromTheListAlone) {
  QTest::keyClick(editor, Qt::Key_Space, Qt::ControlModifier);
  ASSERT_TRUE(list().isVisible());
  take("r.reg_down:");
  EXPECT_EQ(shown(), "r.reg_down:");
  ASSERT_TRUE(list().isVisible());
  take("strategy(");
  take("\"[JtJ]p\")");
  EXPECT_EQ(shown(), "r.reg_down:strategy(\"[JtJ]p\")");
  EXPECT_FALSE(list().isVisible());
  ASSERT_TRUE(wait_until([this] { return driver.text().find("[JtJ]p") != std::string::npos; }));
  EXPECT_TRUE(driver.model().faults().empty());
}

TEST_F(CompletionInTheText, OpensWhileANameIsTypedAndClosesByEscape) {
  QTest::keyClicks(editor, "r.reg_d");
  ASSERT_TRUE(list().isVisible());
  const QAbstractItemModel& items = *list().model();
  for (int row = 0; row < items.rowCount(); ++row)
    EXPECT_TRUE(items.index(row, 0).data().toString().startsWith("r.reg_d"));
  QTest::keyClick(&list(), Qt::Key_Escape);
  EXPECT_FALSE(list().isVisible());
  EXPECT_EQ(shown(), "r.reg_d");
  QTest::keyClicks(editor, "o");
  QTest::keyClick(&list(), Qt::Key_Tab);
  EXPECT_EQ(shown(), "r.reg_down:");
}

TEST_F(CompletionInTheText, ClosesWhereNothingFits) {
  QTest::keyClicks(editor, "r.");
  ASSERT_TRUE(list().isVisible());
  QTest::keyClicks(&list(), "?");
  EXPECT_EQ(shown(), "r.?");
  EXPECT_FALSE(list().isVisible());
}

}  // namespace
}  // namespace thallo::test
