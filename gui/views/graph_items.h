// What the graph page draws: nodes, edges, the frames of expanded nodes, and the cut.
#pragma once

#include <functional>

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
  void paintBody(QPainter& painter) const;
  void paintText(QPainter& painter) const;
  void paintStore(QPainter& painter) const;

  GraphNode m_node;
  NodeLook m_look;
};

// An edge from what is read to what reads it; those of the cut stand out.
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

// The curve that separates what is computed once a nonlinear iteration from what every linear
// iteration computes again.
QGraphicsItem* makeCutItem(const GraphSnapshot& graph);
// The frame around what an expanded node is made of.
QGraphicsItem* makeClusterItem(const GraphCluster& cluster);

}  // namespace thallo::gui
