// A widget is refreshed where it is seen, and once it is seen.
#include <gtest/gtest.h>
#include <QStackedWidget>

#include "gui/widgets/shown_refresh.h"
#include "tests/gui/qt_environment.h"

namespace thallo::test {
namespace {

using gui::ShownRefresh;

class ShownRefreshTest : public testing::Test {
 protected:
  ShownRefreshTest() {
    pages.addWidget(new QWidget);
    pages.addWidget(page);
    pages.show();
  }
  bool comes_to_rest() {
    return wait_until([this] { return !ShownRefresh::isUnderWay(pages); });
  }

  QStackedWidget pages;
  QWidget* page = new QWidget;
  int num_refreshes = 0, num_parts = 0;
  ShownRefresh refresh{*page, [this] {
                         EXPECT_TRUE(page->isVisible());
                         ++num_refreshes;
                       }};
};

TEST_F(ShownRefreshTest, WaitsUntilTheWidgetIsShown) {
  refresh.ask();
  refresh.askSoon();
  refresh.askFor([this] { ++num_parts; });
  ASSERT_TRUE(comes_to_rest());
  EXPECT_EQ(num_refreshes, 0);
  pages.setCurrentWidget(page);
  EXPECT_EQ(num_refreshes, 0) << "the page does not wait for its content";
  EXPECT_TRUE(ShownRefresh::isUnderWay(pages));
  ASSERT_TRUE(comes_to_rest());
  EXPECT_EQ(num_refreshes, 1);
  EXPECT_EQ(num_parts, 0) << "all of it is new";
  pages.setCurrentIndex(0);
  pages.setCurrentWidget(page);
  ASSERT_TRUE(comes_to_rest());
  EXPECT_EQ(num_refreshes, 1) << "nothing was asked for";
}

TEST_F(ShownRefreshTest, RefreshesAVisibleWidgetAtOnceOrInTheNextTurn) {
  pages.setCurrentWidget(page);
  refresh.ask();
  EXPECT_EQ(num_refreshes, 1);
  refresh.askFor([this] { ++num_parts; });
  EXPECT_EQ(num_parts, 1);
  for (int i = 0; i < 3; ++i) refresh.askSoon();
  EXPECT_EQ(num_refreshes, 1);
  ASSERT_TRUE(comes_to_rest());
  EXPECT_EQ(num_refreshes, 2);
  refresh.askSoon();
  refresh.hurry();
  EXPECT_EQ(num_refreshes, 3);
  refresh.hurry();
  ASSERT_TRUE(comes_to_rest());
  EXPECT_EQ(num_refreshes, 3);
}

TEST_F(ShownRefreshTest, LeavesAWidgetAloneThatIsHiddenBefore) {
  pages.setCurrentWidget(page);
  refresh.askSoon();
  pages.setCurrentIndex(0);
  ASSERT_TRUE(comes_to_rest());
  EXPECT_EQ(num_refreshes, 0);
  pages.setCurrentWidget(page);
  ASSERT_TRUE(comes_to_rest());
  EXPECT_EQ(num_refreshes, 1);
}

}  // namespace
}  // namespace thallo::test
