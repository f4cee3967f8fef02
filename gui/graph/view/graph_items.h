// The graphics items of the graph page: nodes, edges, frames of expanded nodes, and the cut.
#pragma once

#include <optional>
#include <vector>

#include <QGraphicsItem>
#include <QGraphicsPathItem>

#include "gui/graph/graph_data.h"

namespace thallo::gui {

// The changing looks of a slab, which is a button.
struct SlabLook {
  QString words;      // "∂ −84 %"
  bool isOn = false;  // true if something is stored
  bool isLegal = true;
  bool isHovered = false;

  friend bool operator==(const SlabLook&, const SlabLook&) = default;
};

// The changing looks of a node.
struct NodeLook {
  bool isSelected = false;
  bool isLinked = false;   // true if it belongs to what is selected
  bool isDimmed = false;   // true if something else is in focus
  QString badge;           // what another choice would gain; may be empty
  bool isGain = false;     // true if the badge reports an improvement
  bool isPreview = false;  // true if the badge says what an edit would change here
  std::vector<SlabLook> slabs;

  friend bool operator==(const NodeLook&, const NodeLook&) = default;
};

class NodeItem final : public QGraphicsItem {
 public:
  explicit NodeItem(GraphNode node);

  const GraphNode& node() const { return m_node; }
  void setLook(NodeLook look);
  // Returns the slab at this position, in which a click changes what is stored; elsewhere a click
  // selects the node. Absent if there is none.
  std::optional<std::size_t> slabAt(const QPointF& position) const;
  QRectF slabArea(std::size_t slab) const { return m_slabs[slab]; }

  QRectF boundingRect() const override;
  void paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget* widget) override;

 private:
  void paintBody(QPainter& painter, bool isTiny) const;
  void paintText(QPainter& painter) const;
  void paintSlabs(QPainter& painter) const;
  void paintBadge(QPainter& painter) const;
  QRectF textArea() const;

  GraphNode m_node;
  std::vector<QRectF> m_slabs;
  NodeLook m_look;
};

// An edge from what is read to what reads it, as wide as many bytes move; edges of the cut stand
// out. It paints itself only
// while it is emphasized; otherwise an EdgeLayer paints it.
class EdgeItem final : public QGraphicsPathItem {
 public:
  EdgeItem(const GraphSnapshot& graph, const GraphEdge& edge);

  const QString& from() const { return m_from; }
  const QString& to() const { return m_to; }
  void setEmphasis(bool isEmphasized, bool isDimmed);

 private:
  QString m_from, m_to;
  bool m_isCut;
  double m_width;
};

// Paints all edges that are not emphasized. Setting up a separate item for each would take longer
// than painting it.
class EdgeLayer final : public QGraphicsItem {
 public:
  // All edges must be in the same scene as the layer.
  explicit EdgeLayer(std::vector<EdgeItem*> edges);

  QRectF boundingRect() const override { return m_bounds; }
  void paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget* widget) override;

 private:
  std::vector<EdgeItem*> m_edges;
  QRectF m_bounds;
};

// Makes the two regions beside the cut, with the words above them: what is computed once per
// nonlinear iteration, and what every linear iteration computes again. The graph must have a cut.
std::vector<QGraphicsItem*> makeRegionItems(const GraphSnapshot& graph);
// Makes the frame around the contents of an expanded node.
QGraphicsItem* makeClusterItem(const GraphCluster& cluster);

}  // namespace thallo::gui
