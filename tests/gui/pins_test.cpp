// Pinned sites: how they are pinned and left open, and how that is shown.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QGuiApplication>
#include <QMenu>
#include <QSignalSpy>
#include <QTest>

#include "gui/schedule/view/site_tree_view.h"
#include "gui/workspace/view/pins_button.h"
#include "tests/gui/schedule_page_driver.h"

namespace thallo::test {
namespace {

using gui::SiteTree;
using testing::ElementsAre;

class PinsTest : public testing::Test {
 protected:
  gui::PinModel& pins() { return driver.open.workspace.pins(); }
  void settle() {
    EXPECT_TRUE(wait_until([this] { return !pins().isBusy(); }));
    driver.settle();
  }
  void toggle(const QString& site) {
    pins().toggle(site);
    settle();
  }
  // Chooses at a site.
  void choose(const QString& construct, const QString& site, const QString& label) {
    driver.model().choose(construct, site, label);
    driver.settle();
  }
  QStringList pinned() { return pins().directives(); }
  QModelIndex row_of(const QString& site, int column = 0) {
    const auto& tree = static_cast<const SiteTree&>(*view->model());
    return tree.indexOf(site).siblingAtColumn(column);
  }
  SiteTree::PinMark mark_of(const QString& site) {
    return static_cast<SiteTree::PinMark>(row_of(site).data(SiteTree::PinMarkRole).toInt());
  }
  QString accessible(const QString& site) {
    return row_of(site, SiteTree::Pin).data(Qt::AccessibleTextRole).toString();
  }

  SchedulePageDriver driver{"poisson_image_editing"};
  gui::SiteTreeView* view = driver.find<gui::SiteTreeView>("siteTree");
};

TEST_F(PinsTest, AreWhatTheScheduleDecidesAtTheSite) {
  choose("strategy", "reg_down", "[JtJ]p");
  toggle("strategy@reg_down");
  toggle("strategy@reg_left");
  EXPECT_THAT(pinned(),
              ElementsAre("r.reg_down:strategy(\"[JtJ]p\")", "r.reg_left:strategy(\"JtJp\")"));
  EXPECT_EQ(mark_of("strategy@reg_down"), SiteTree::PinMark::Held);
  EXPECT_EQ(accessible("strategy@reg_down"), "pinned");
  EXPECT_EQ(mark_of("strategy@reg_up"), SiteTree::PinMark::Open);
  EXPECT_EQ(accessible("strategy@reg_up"), "");
  toggle("strategy@reg_down");
  EXPECT_THAT(pinned(), ElementsAre("r.reg_left:strategy(\"JtJp\")"));
}

TEST_F(PinsTest, StayWhenTheScheduleIsAnother) {
  choose("strategy", "reg_down", "[JtJ]p");
  toggle("strategy@reg_down");
  choose("strategy", "reg_down", "JtJp");
  EXPECT_THAT(pinned(), ElementsAre("r.reg_down:strategy(\"[JtJ]p\")"));
  EXPECT_EQ(mark_of("strategy@reg_down"), SiteTree::PinMark::Broken);
  EXPECT_EQ(accessible("strategy@reg_down"), "pinned to [JtJ]p");
  EXPECT_TRUE(row_of("strategy@reg_down", SiteTree::Pin)
                  .data(Qt::ToolTipRole)
                  .toString()
                  .startsWith("Pinned to [JtJ]p, which this schedule does not keep"));
}

TEST_F(PinsTest, TakeWhatTheyNeedAlongAndGoTogetherWithIt) {
  choose("strategy", "reg_down", "[JtJ]p");
  toggle("storage@reg_down.JtJ");
  EXPECT_EQ(pinned().size(), 2);
  EXPECT_EQ(mark_of("strategy@reg_down"), SiteTree::PinMark::Held);
  toggle("strategy@reg_down");
  EXPECT_THAT(pinned(), ElementsAre());
}

TEST_F(PinsTest, OfGroupsAreAllItsSites) {
  const qsizetype residuals = static_cast<qsizetype>(
      std::ranges::count(driver.table().sites, QString("split_merge"), &gui::SiteRow::construct));
  const QString site = row_of("split_merge@reg_down[1]").data(SiteTree::SiteIdRole).toString();
  toggle(site);
  EXPECT_EQ(pinned().size(), residuals);
  EXPECT_EQ(mark_of(site), SiteTree::PinMark::Held);
  toggle(site);
  EXPECT_TRUE(pinned().isEmpty());
}

TEST_F(PinsTest, ThatMakeOthersVanishAreRefused) {
  toggle("strategy@reg_down");
  toggle("strategy@reg_left");
  const QStringList before = pinned();
  ASSERT_EQ(before.size(), 2);
  // One part is left of the two, so that the site of the other is gone.
  gui::ItemGroups groups = driver.table().groupsOf("split_merge")->groups;
  for (QStringList& group : groups) {
    group.removeAll("reg_left[1]");
    if (group.contains("reg_down[1]")) group.append("reg_left[1]");
  }
  driver.model().change({{.construct = "split_merge", .groups = groups}});
  driver.settle();
  QSignalSpy refused(&driver.model(), &gui::ScheduleModel::refused);
  toggle(row_of("split_merge@reg_down[1]").data(SiteTree::SiteIdRole).toString());
  ASSERT_EQ(refused.count(), 1);
  EXPECT_TRUE(refused.front().front().toString().startsWith("Not pinned: "));
  EXPECT_EQ(pinned(), before);
}

TEST_F(PinsTest, ArePutByAClickAtTheMark) {
  const QModelIndex mark = row_of("strategy@reg_down", SiteTree::Pin);
  view->scrollTo(mark);
  QTest::mouseClick(view->viewport(), Qt::LeftButton, {}, view->visualRect(mark).center());
  settle();
  EXPECT_THAT(pinned(), ElementsAre("r.reg_down:strategy(\"JtJp\")"));
  QTest::mouseClick(view->viewport(), Qt::LeftButton, {},
                    view->visualRect(row_of("strategy@reg_down", SiteTree::Pin)).center());
  settle();
  EXPECT_TRUE(pinned().isEmpty());
  // A click elsewhere in the row only goes there.
  QTest::mouseClick(view->viewport(), Qt::LeftButton, {},
                    view->visualRect(row_of("strategy@reg_down")).center());
  settle();
  EXPECT_TRUE(pinned().isEmpty());
}

TEST_F(PinsTest, ArePutByAKey) {
  driver.go_to("strategy", "reg_down");
  QTest::keyClick(view, Qt::Key_P);
  settle();
  EXPECT_THAT(pinned(), ElementsAre("r.reg_down:strategy(\"JtJp\")"));
  QTest::keyClick(view, Qt::Key_P);
  settle();
  EXPECT_TRUE(pinned().isEmpty());
}

TEST_F(PinsTest, ArePutByTheMenuOfARow) {
  const auto actions = [this](const QString& site) {
    const QModelIndex row = row_of(site);
    view->scrollTo(row);
    const QPoint at = view->visualRect(row).center();
    QContextMenuEvent event(QContextMenuEvent::Mouse, at, view->viewport()->mapToGlobal(at));
    QCoreApplication::sendEvent(view->viewport(), &event);
    auto* menu = view->findChild<QMenu*>("siteMenu");
    EXPECT_NE(menu, nullptr);
    return menu->actions();
  };
  const QList<QAction*> open = actions("strategy@reg_down");
  EXPECT_EQ(open[0]->text(), "Pin to JtJp");
  open[0]->trigger();
  settle();
  EXPECT_EQ(pinned().size(), 1);
  view->findChild<QMenu*>("siteMenu")->close();
  QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
  const QList<QAction*> kept = actions("strategy@reg_down");
  EXPECT_EQ(kept[0]->text(), "Leave open");
  kept[1]->trigger();
  settle();
  EXPECT_TRUE(pinned().isEmpty());
}

TEST_F(PinsTest, AreListedByAButton) {
  auto* button = driver.find<gui::PinsButton>("pinsButton");
  EXPECT_FALSE(button->isVisible());
  toggle("strategy@reg_down");
  EXPECT_TRUE(button->isVisible());
  EXPECT_EQ(button->text(), "1 site pinned");
  toggle("strategy@reg_left");
  EXPECT_EQ(button->text(), "2 sites pinned");
  QMenu* menu = button->menu();
  Q_EMIT menu->aboutToShow();
  const QList<QAction*> actions = menu->actions();
  ASSERT_EQ(actions.size(), 5);
  actions[4]->trigger();
  EXPECT_EQ(QGuiApplication::clipboard()->text(),
            "r.reg_down:strategy(\"JtJp\")\nr.reg_left:strategy(\"JtJp\")\n");
  actions[0]->trigger();
  settle();
  EXPECT_THAT(pinned(), ElementsAre("r.reg_left:strategy(\"JtJp\")"));
  actions[3]->trigger();
  settle();
  EXPECT_FALSE(button->isVisible());
}

TEST_F(PinsTest, AreThoseOfTheirProblem) {
  toggle("strategy@reg_down");
  gui::Workspace& workspace = driver.open.workspace;
  const auto open = [&](const char* problem) {
    workspace.open({.problem = problem, .device = "h200"}, "default");
    EXPECT_TRUE(wait_until([&] {
      return workspace.problems().problem().isReady() && workspace.schedule().schedule().isReady();
    }));
    settle();
  };
  open("curve_fit");
  EXPECT_TRUE(pinned().isEmpty());
  open("poisson_image_editing");
  EXPECT_THAT(pinned(), ElementsAre("r.reg_down:strategy(\"JtJp\")"));
}

TEST_F(PinsTest, OfASessionThatAreNotPossibleAreDropped) {
  QSignalSpy refused(&driver.model(), &gui::ScheduleModel::refused);
  pins().restore({"r.nothing:strategy(\"JtJp\")"});
  settle();
  ASSERT_EQ(refused.count(), 1);
  EXPECT_TRUE(refused.front().front().toString().contains("there is no part 'r.nothing'"));
  EXPECT_TRUE(pinned().isEmpty());
}

}  // namespace
}  // namespace thallo::test
