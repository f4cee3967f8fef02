#include "gui/schedule/site_tree.h"

#include <gtest/gtest.h>
#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QTest>

#include "gui/schedule/view/site_tree_view.h"

namespace thallo::test {
namespace {

using gui::SiteTree;

gui::SiteRow site(const QString& construct, Stage stage, const QString& name,
                  double seconds_of_other = 2) {
  return {.construct = construct,
          .stage = stage,
          .name = name,
          .shown = name,
          .choices = {{.label = "x", .change = {{2, 2}}},
                      {.label = "y", .change = {{2, seconds_of_other}}}}};
}

// Two parts with strategies, an order of one of them, and residuals that form groups.
gui::SiteTable table_of(const QStringList& parts) {
  gui::SiteTable table;
  for (const char* residual : {"fit[1]", "reg[1]"})
    table.sites.push_back(site("grouping", Stage::Partition, residual));
  table.groups = {{"grouping", {{"fit[1]"}, {"reg[1]"}}}};
  for (const QString& part : parts)
    table.sites.push_back(site("strategies", Stage::Strategy, part, 1));
  table.sites.push_back(site("ordering", Stage::Order, "fit"));
  return table;
}

// A line a row, indented by level: where | chosen | gain.
std::string text_of(const SiteTree& tree, const QModelIndex& parent = {}, int level = 0) {
  std::string text;
  for (int i = 0; i < tree.rowCount(parent); ++i) {
    const QModelIndex row = tree.index(i, 0, parent);
    text += std::string(static_cast<std::size_t>(2 * level), ' ');
    for (int column = 0; column < SiteTree::NumColumns; ++column) {
      const std::string cell = row.siblingAtColumn(column).data().toString().toStdString();
      if (!cell.empty()) text += (column > 0 ? " | " : "") + cell;
    }
    text += '\n' + text_of(tree, row, level + 1);
  }
  return text;
}

class SiteTreeTest : public testing::Test {
 protected:
  void show(const QStringList& parts) {
    tree.setTable(std::make_shared<const gui::SiteTable>(table_of(parts)), {});
  }

  SiteTree tree;
  QAbstractItemModelTester tester{&tree, QAbstractItemModelTester::FailureReportingMode::Fatal};
};

TEST_F(SiteTreeTest, ShowsStagesConstructsAndSites) {
  show({"fit", "reg"});
  EXPECT_EQ(text_of(tree),
            "partition\n"
            "  grouping | 2 groups\n"
            "strategy\n"
            "  strategies\n"
            "    fit | x | −50 %\n"
            "    reg | x | −50 %\n"
            "order\n"
            "  ordering · fit | x\n");
}

TEST_F(SiteTreeTest, FindsTheRowOfASite) {
  show({"fit", "reg"});
  EXPECT_EQ(tree.indexOf("strategies@reg").data(SiteTree::SiteIdRole), "strategies@reg");
  EXPECT_EQ(tree.indexOf("grouping@reg[1]").data().toString(), "grouping");
  EXPECT_FALSE(tree.indexOf("strategies@nothing").isValid());
}

// A view lays out what changes, so that rows which say the same are left alone.
TEST_F(SiteTreeTest, IsResetOnlyWhenItsRowsAreOthers) {
  show({"fit", "reg"});
  const QSignalSpy resets(&tree, &QAbstractItemModel::modelReset);
  const QSignalSpy changes(&tree, &QAbstractItemModel::dataChanged);
  show({"fit", "reg"});
  EXPECT_EQ(changes.count(), 0);
  gui::SiteTable table = table_of({"fit", "reg"});
  for (gui::SiteRow& row : table.sites)
    if (row.id() == "strategies@reg") row.chosen = 1;
  tree.setTable(std::make_shared<const gui::SiteTable>(table), {});
  ASSERT_EQ(changes.count(), 1);
  const auto changed = changes.front().front().toModelIndex();
  EXPECT_EQ(changed.data(SiteTree::SiteIdRole), "strategies@reg");
  EXPECT_EQ(changed.siblingAtColumn(SiteTree::Chosen).data(), "y");
  EXPECT_EQ(resets.count(), 0);
  show({"fit"});
  EXPECT_EQ(resets.count(), 1);
}

TEST_F(SiteTreeTest, KeepsWhatIsOpenAndWhatIsCurrent) {
  show({"fit", "reg"});
  gui::SiteTreeView view(tree);
  view.showSite("strategies@reg");
  const auto construct = [this] { return tree.indexOf("strategies@reg").parent(); };
  EXPECT_TRUE(view.isExpanded(construct()));
  view.collapse(construct().parent());
  show({"fit", "other", "reg"});
  EXPECT_EQ(view.currentIndex().data(SiteTree::SiteIdRole), "strategies@reg");
  EXPECT_TRUE(view.isExpanded(construct()));
  EXPECT_TRUE(view.isExpanded(tree.index(0, 0)));
  EXPECT_FALSE(view.isExpanded(construct().parent()));
}

TEST_F(SiteTreeTest, AsksForTheSiteThatAKeyGoesTo) {
  show({"fit", "reg"});
  gui::SiteTreeView view(tree);
  const QSignalSpy asked(&view, &gui::SiteTreeView::siteAsked);
  view.showSite("strategies@fit");
  EXPECT_EQ(asked.count(), 0);
  QTest::keyClick(&view, Qt::Key_Down);
  ASSERT_EQ(asked.count(), 1);
  EXPECT_EQ(asked.front().front(), "strategies@reg");
}

}  // namespace
}  // namespace thallo::test
