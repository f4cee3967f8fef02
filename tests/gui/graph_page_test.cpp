// The page with the graph, by the mouse and by the keys.
#include "gui/graph/view/graph_page.h"

#include <algorithm>
#include <stdexcept>

#include <gtest/gtest.h>
#include <QHelpEvent>
#include <QLabel>
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

  OpenWorkspace open{small_poisson("h200")};
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

class GraphSlabsTest : public testing::Test {
 protected:
  GraphSlabsTest() {
    page.resize(900, 700);
    page.show();
    EXPECT_TRUE(wait_until(
        [this] { return page.isSettled() && !open.workspace.analysisRunner().isBusy("weights"); }));
    QCoreApplication::processEvents();
  }
  gui::NodeItem& item() {
    for (QGraphicsItem* it : view.items())
      if (auto* node = dynamic_cast<gui::NodeItem*>(it); node && node->node().canStore())
        return *node;
    throw std::logic_error("no intermediate is drawn");
  }
  QPoint slab(std::size_t index) {
    return view.mapFromScene(item().mapToScene(item().slabArea(index).center()));
  }
  void hover(const QPoint& at) {
    QMouseEvent move(QEvent::MouseMove, at, view.viewport()->mapToGlobal(at), Qt::NoButton,
                     Qt::NoButton, {});
    QApplication::sendEvent(view.viewport(), &move);
  }

  OpenWorkspace open{{.problem = "image_warping", .device = "h200"}};
  gui::GraphPage page{open.workspace};
  gui::GraphView& view = *page.findChild<gui::GraphView*>("graphView");
  QLabel& words = *page.findChild<QLabel*>("previewWords");
};

TEST_F(GraphSlabsTest, ShowTheCutThatAClickWouldMakeAndWhatItCosts) {
  const QString hash = open.workspace.schedule().schedule().value->hash;
  hover(slab(0));
  EXPECT_TRUE(QToolTip::text().contains("A click changes that")) << QToolTip::text().toStdString();
  ASSERT_TRUE(wait_until([this] { return words.isVisible(); }));
  EXPECT_TRUE(words.text().contains(item().node().name)) << words.text().toStdString();
  EXPECT_TRUE(words.text().contains("%")) << "what it costs";
  EXPECT_EQ(open.workspace.schedule().schedule().value->hash, hash);
  hover(view.viewport()->rect().bottomLeft() + QPoint(2, -2));
  EXPECT_TRUE(wait_until([this] { return !words.isVisible(); }));
  // Its second slab, by the mouse, and its first by a key.
  QTest::mouseClick(view.viewport(), Qt::LeftButton, {}, slab(1));
  ASSERT_TRUE(wait_until([this] { return page.isSettled() && item().node().storesGradient; }));
  EXPECT_FALSE(item().node().storesValue);
  EXPECT_EQ(open.workspace.selection().current().id, item().node().id);
  QTest::keyClick(&view, Qt::Key_V);
  EXPECT_TRUE(wait_until([this] { return page.isSettled() && item().node().storesValue; }));
  EXPECT_TRUE(item().node().storesGradient);
}

// Whatever is tried out on another page or in the inspector is drawn in the same way.
TEST_F(GraphSlabsTest, ShowTheCutOfAnEditThatIsTriedOutElsewhere) {
  const auto& sites = open.workspace.schedule().sites().value->sites;
  const auto site = std::ranges::find(sites, "strategy", &gui::SiteRow::construct);
  ASSERT_NE(site, sites.end());
  open.workspace.schedule().tryOut(
      {{.construct = "strategy", .site = site->name, .label = "[JtJ]p"}});
  ASSERT_TRUE(wait_until([this] { return words.isVisible(); }));
  EXPECT_TRUE(words.text().contains("[JtJ]p")) << words.text().toStdString();
  open.workspace.schedule().endTrial();
  EXPECT_FALSE(words.isVisible());
}

}  // namespace
}  // namespace thallo::test
