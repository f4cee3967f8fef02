// What the graph page draws: nodes, edges, the frames of expanded nodes, and the cut.
#pragma once

#include <vector>

#include <QGraphicsItem>
#include <QGraphicsPathItem>

#include "gui/models/graph_data.h"

namespace thallo::gui {

// What a node shows beside itself.
struct NodeLook {
  bool isSelected = false;
  bool isDimmed = false;  // something else is looked at
  QString badge;          // what another choice would gain; empty for nothing
  bool isGain = false;    // the badge tells an improvement

  friend bool operator==(const NodeLook&, const NodeLook&) = default;
};

class NodeItem final : public QGraphicsItem {
 public:
  explicit NodeItem(GraphNode node);

  const GraphNode& node() const { return m_node; }
  void setLook(NodeLook look);
  // Where a click changes what is stored; the rest of the node selects.
  QRectF storeArea() const;

  QRectF boundingRect() const override;
  void paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget* widget) override;

 private:
  void paintBody(QPainter& painter, bool isTiny) const;
  void paintText(QPainter& painter) const;
  void paintStore(QPainter& painter) const;

  GraphNode m_node;
  NodeLook m_look;
};

// An edge from what is read to what reads it; those of the cut stand out. It paints itself while it
// is emphasized, else an EdgeLayer does.
class EdgeItem final : public QGraphicsPathItem {
 public:
  EdgeItem(const GraphSnapshot& graph, const GraphEdge& edge);

  const QString& from() const { return m_from; }
  const QString& to() const { return m_to; }
  void setEmphasis(bool isEmphasized, bool isDimmed);

 private:
  QString m_from, m_to;
  bool m_isCut;
};

// Paints all edges that are not emphasized: an item for each takes longer to begin than to paint.
class EdgeLayer final : public QGraphicsItem {
 public:
  // All of the same scene as this.
  explicit EdgeLayer(std::vector<EdgeItem*> edges);

  QRectF boundingRect() const override { return m_bounds; }
  void paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget* widget) override;

 private:
  std::vector<EdgeItem*> m_edges;
  QRectF m_bounds;
};

// The line that separates what is computed once a nonlinear iteration from what every linear
// iteration computes again.
QGraphicsItem* makeCutItem(const GraphSnapshot& graph);
// The frame around what an expanded node is made of.
QGraphicsItem* makeClusterItem(const GraphCluster& cluster);

}  // namespace thallo::gui
