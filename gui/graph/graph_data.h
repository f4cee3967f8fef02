// The graph of the open problem under the current schedule, with its layout.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include <QPointF>
#include <QRectF>
#include <QString>

#include "core/explore/dag/view.h"

namespace thallo::gui {

struct GraphNode {
  QString id;  // DagNode::id
  DagKind kind = DagKind::Expression;
  QString name, domains;
  QString text;            // what it is or what it computes
  std::vector<int> lines;  // of the energy's text that say so (DagNode::lines)
  QString figure;          // bytes if stored, flops if computed
  std::optional<double> flops, bytes;
  QString siteName;  // Site::name of the node's site, or empty
  bool storesValue = false, storesGradient = false;
  bool isFar = false;  // true if every linear iteration computes it again
  QString frequency;   // "linear iteration"
  bool canExpand = false, isExpanded = false;
  QString cluster;
  QRectF box;

  bool isStored() const { return storesValue || storesGradient; }
  // True if a schedule decides whether the node is stored.
  bool canStore() const { return kind == DagKind::Intermediate || kind == DagKind::Sum; }
};

struct GraphEdge {
  std::size_t from = 0, to = 0;  // positions in GraphSnapshot::nodes
  bool isCut = false;
  QString label;        // where the value is read
  double bytes = 0;     // that kernels read in a nonlinear iteration; 0 if nothing is stored
  double numReads = 1;  // of all values, in a nonlinear iteration
  // A Bezier spline: one point, then three for every piece.
  std::vector<QPointF> spline;
};

struct GraphCluster {
  QString id, name;
  QRectF box;
};

struct GraphSnapshot {
  QString scheduleHash;
  std::vector<GraphNode> nodes;  // each node comes after the nodes that it reads
  std::vector<GraphEdge> edges;
  std::vector<GraphCluster> clusters;
  // The x of the cut. Nodes that are computed once per nonlinear iteration are on its left, nodes
  // of every linear iteration on its right. Absent if linear iterations read nothing from the left.
  std::optional<double> cut;
  QRectF bounds;
  QString notice;  // why the layout is a simple one; empty if `dot` made it

  // Null if there is none with that id.
  const GraphNode* find(const QString& id) const {
    const auto node = std::ranges::find(nodes, id, &GraphNode::id);
    return node == nodes.end() ? nullptr : &*node;
  }
};

}  // namespace thallo::gui
