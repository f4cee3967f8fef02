// The overview of the graph: when it is there, and how it moves the view.
#include "gui/graph/view/graph_minimap.h"

#include <gtest/gtest.h>
#include <QTest>

#include "gui/graph/view/graph_page.h"
#include "tests/gui/mouse.h"
#include "tests/gui/qt_environment.h"

namespace thallo::test {
namespace {

class Minimap : public testing::Test {
 protected:
  Minimap() {
    page.resize(900, 700);
    page.show();
    EXPECT_TRUE(wait_until([this] { return page.isSettled(); })) << page.message().toStdString();
    QCoreApplication::processEvents();
  }
  void zoom_in() {
    for (int i = 0; i < 8; ++i) QTest::keyClick(&view, Qt::Key_Plus);
    EXPECT_TRUE(wait_until([this] { return map.isVisible(); }));
  }
  // What the view shows, in the middle, as a share of the scene.
  QPointF middle() {
    const QRectF all = view.sceneRect();
    const QPointF at = view.mapToScene(view.viewport()->rect().center()) - all.topLeft();
    return {at.x() / all.width(), at.y() / all.height()};
  }
  QPoint place(double x, double y) {
    return {static_cast<int>(x * map.width()), static_cast<int>(y * map.height())};
  }

  OpenWorkspace open{small_poisson("h200")};
  gui::GraphPage page{open.workspace};
  gui::GraphView& view = *page.findChild<gui::GraphView*>("graphView");
  gui::GraphMinimap& map = *page.findChild<gui::GraphMinimap*>("graphMinimap");
};

TEST_F(Minimap, IsThereWhileSomethingIsNotSeen) {
  EXPECT_FALSE(map.isVisible());
  zoom_in();
  EXPECT_TRUE(view.rect().contains(map.geometry()));
  QTest::keyClick(&view, Qt::Key_0);
  EXPECT_TRUE(wait_until([this] { return !map.isVisible(); }));
}

TEST_F(Minimap, MovesTheViewToAClick) {
  zoom_in();
  QTest::mouseClick(&map, Qt::LeftButton, {}, place(0.7, 0.7));
  EXPECT_NEAR(middle().x(), 0.7, 0.05);
  EXPECT_NEAR(middle().y(), 0.7, 0.05);
  EXPECT_EQ(open.workspace.selection().current(), gui::Selection());
}

TEST_F(Minimap, MovesTheViewWithADrag) {
  zoom_in();
  drag(&map, place(0.7, 0.7), place(0.3, 0.4));
  EXPECT_NEAR(middle().x(), 0.3, 0.05);
  EXPECT_NEAR(middle().y(), 0.4, 0.05);
}

}  // namespace
}  // namespace thallo::test
