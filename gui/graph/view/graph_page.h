// Shows the expression graph of the problem under the current schedule, from fields to products,
// with the cut between what is computed once per nonlinear iteration and what every linear
// iteration computes again.
//
// A click selects a node. A click on a slab of an intermediate, or its first letter, toggles what
// is stored of it; while the mouse is over a slab, the page shows the cut that the click would
// make, as it does for whatever is tried out elsewhere. The space bar takes the next choice. A
// double click shows what a node is made of. The arrow keys move from node to node. The wheel
// zooms, dragging moves, and 0 shows everything.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <vector>

#include <QGraphicsView>
#include <QTimer>

#include "gui/graph/graph_layout.h"
#include "gui/graph/view/graph_items.h"
#include "gui/graph/view/graph_minimap.h"
#include "gui/workspace/view/page.h"

namespace thallo::gui {

// A view that zooms by the wheel and emits signals about actions on nodes.
class GraphView final : public QGraphicsView {
  Q_OBJECT

 public:
  GraphView();
  void showAll();
  // Tells a screen reader what is selected; empty if nothing is.
  void tell(const QString& text);
  QSizeF page() const;  // the room for the graph, in pixels
  NodeItem* nodeAt(QPoint position) const;
  // Returns the tip of a slab of a node.
  using SlabTip = std::function<QString(const GraphNode& node, std::size_t slab)>;
  void setSlabTip(SlabTip tip) { m_slabTip = std::move(tip); }

 Q_SIGNALS:
  // A slab is absent where the mouse is at none.
  void nodeClicked(const QString& id, std::optional<std::size_t> slab);
  void nodeDoubleClicked(const QString& id);
  void nodeHovered(const QString& id, std::optional<std::size_t> slab);  // empty: none
  void changeAsked();                                                    // by the space bar
  void slabAsked(const QString& letter);                                 // by a letter
  void expandAsked();                                                    // by the return key
  void stepAsked(thallo::gui::GraphStep step);                           // by an arrow key
  void resized();

 protected:
  void wheelEvent(QWheelEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  bool viewportEvent(QEvent* event) override;
  void leaveEvent(QEvent* event) override;

 private:
  void zoom(double factor);
  // Shows the tool tip of the node at this position, as long as the mouse is over the node. Returns
  // true if there is a node.
  bool showTip(const QPoint& global, const QPoint& position);
  std::optional<std::size_t> slabAt(const NodeItem& node, QPoint position) const;

  SlabTip m_slabTip;
  QPoint m_pressed;
  bool m_showsAll = true;  // until the user zooms
};

class GraphPage final : public Page {
 public:
  explicit GraphPage(Workspace& workspace);

  bool isSettled() const override;
  int itemCount() const override { return static_cast<int>(m_nodes.size()); }

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  QWidget* makeNotice();
  void connectView();
  void refresh();
  void showGraph();
  void rebuild();
  void onLooks();
  void refreshLooks();
  void showSelection();
  void showPreview();
  void hover(const QString& id, std::optional<std::size_t> slab);
  NodeLook lookOf(const GraphNode& node) const;
  void step(GraphStep step);
  const GraphNode* selectedNode() const;
  const GraphNode* node(const QString& id) const;

  GraphView* m_view;
  QGraphicsScene* m_scene;
  GraphMinimap* m_minimap;
  QWidget* m_notice;  // says why the layout is a simple one
  QLabel* m_caption;
  QLabel* m_previewWords;  // what is tried out, over the view
  std::map<QString, NodeItem*> m_nodes;
  std::vector<EdgeItem*> m_edges;
  EdgeLayer* m_edgeLayer = nullptr;
  std::shared_ptr<const GraphSnapshot> m_shown;
  QString m_hovered;
  std::optional<std::size_t> m_hoveredSlab;
  ShownRefresh m_refresh;
  QTimer m_try;  // delays trials while the mouse passes over slabs
};

}  // namespace thallo::gui
