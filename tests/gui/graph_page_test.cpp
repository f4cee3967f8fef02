// The page with the graph, by the mouse and by the keys.
#include "gui/graph/view/graph_page.h"

#include <algorithm>

#include <gtest/gtest.h>
#include <QHelpEvent>
#include <QTest>
#include <QToolTip>

#include "gui/graph/graph_fit.h"
#include "tests/gui/qt_environment.h"

namespace thallo::test {
namespace {

class GraphPageTest : public testing::Test {
 protected:
  GraphPageTest() {
    page.resize(900, 700);
    page.show();
    EXPECT_TRUE(wait_until([this] { return page.isSettled(); })) << page.message().toStdString();
    QCoreApplication::processEvents();
  }
  const gui::GraphSnapshot& graph() { return *open.workspace.graph().graph().value; }
  QPoint middle_of(const gui::GraphNode& node) { return view.mapFromScene(node.box.center()); }
  void hover(const QPoint& at) {
    QWidget* area = view.viewport();
    QMouseEvent move(QEvent::MouseMove, at, area->mapToGlobal(at), Qt::NoButton, Qt::NoButton, {});
    QApplication::sendEvent(area, &move);
  }

  OpenWorkspace open{{.problem = "poisson_image_editing", .device = "h200"}};
  gui::GraphPage page{open.workspace};
  gui::GraphView& view = *page.findChild<gui::GraphView*>("graphView");
};

TEST_F(GraphPageTest, KeepsTheTipOfANodeWhileTheMouseIsOverIt) {
  const gui::GraphNode& node = graph().nodes.front();
  const QPoint at = middle_of(node);
  hover(at);
  ASSERT_TRUE(QToolTip::isVisible());
  // As Qt asks for a tip when the mouse has rested for a while.
  QHelpEvent help(QEvent::ToolTip, at, view.viewport()->mapToGlobal(at));
  QApplication::sendEvent(view.viewport(), &help);
  QTest::qWait(500);  // Qt hides a tip that is over 0.3 s later
  EXPECT_TRUE(QToolTip::isVisible());
  EXPECT_TRUE(QToolTip::text().startsWith(node.name)) << QToolTip::text().toStdString();
  hover(view.mapFromScene(view.sceneRect().topLeft()) + QPoint(2, 2));
  EXPECT_TRUE(wait_until([] { return !QToolTip::isVisible(); }));
}

TEST_F(GraphPageTest, ShowsAllAtASizeThatCanBeReadInASmallWindow) {
  for (const QSize& size : {QSize(768, 668), QSize(700, 1000), QSize(1800, 700)}) {
    page.resize(size);
    QCoreApplication::processEvents();
    EXPECT_GE(view.transform().m11(), gui::readableScale());
    EXPECT_LE(view.transform().m11(), gui::LargestFit);
    const QRectF shown = view.mapToScene(view.viewport()->rect()).boundingRect();
    for (const gui::GraphNode& node : graph().nodes)
      EXPECT_TRUE(shown.contains(node.box)) << node.id.toStdString();
  }
}

TEST_F(GraphPageTest, TellsAScreenReaderWhichNodeIsSelected) {
  QTest::keyClick(&view, Qt::Key_Right);
  const gui::Selection selected = open.workspace.selection().current();
  const auto node = std::ranges::find(graph().nodes, selected.id, &gui::GraphNode::id);
  ASSERT_NE(node, graph().nodes.end());
  EXPECT_TRUE(view.accessibleDescription().startsWith(node->name));
  open.workspace.selection().clear();
  EXPECT_EQ(view.accessibleDescription(), "");
}

TEST_F(GraphPageTest, GoesFromNodeToNodeByTheArrowKeys) {
  const auto press = [this](Qt::Key key) {
    QTest::keyClick(&view, key);
    return open.workspace.selection().current();
  };
  const auto reads = [this](const QString& reader, const QString& operand) {
    return std::ranges::any_of(graph().edges, [&](const gui::GraphEdge& edge) {
      return graph().nodes[edge.to].id == reader && graph().nodes[edge.from].id == operand;
    });
  };
  const auto middle = [this](const QString& id) {
    return std::ranges::find(graph().nodes, id, &gui::GraphNode::id)->box.center();
  };
  const gui::Selection first = press(Qt::Key_Right);
  ASSERT_EQ(first.kind, gui::Selection::Kind::Node) << "none was selected";
  const gui::Selection user = press(Qt::Key_Right);
  EXPECT_TRUE(reads(user.id, first.id)) << user.id.toStdString();
  const gui::Selection operand = press(Qt::Key_Left);
  EXPECT_TRUE(reads(user.id, operand.id)) << operand.id.toStdString();
  for (int i = 0; i < 20; ++i) press(Qt::Key_Up);
  const gui::Selection top = open.workspace.selection().current();
  for (const gui::GraphNode& node : graph().nodes)
    EXPECT_GE(node.box.center().y(), middle(top.id).y()) << node.id.toStdString();
  const gui::Selection below = press(Qt::Key_Down);
  EXPECT_GT(middle(below.id).y(), middle(top.id).y());
}

}  // namespace
}  // namespace thallo::test
