// The graph of the open problem under the current schedule, laid out.
#pragma once

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
  QString text;    // what it is or computes
  QString figure;  // bytes where it is stored, flops where it is computed
  std::optional<double> flops, bytes;
  QString siteName;  // Site::name of the site that it stands for; empty for none
  bool storesValue = false, storesGradient = false;
  bool isFar = false;  // computed again in every linear iteration
  QString frequency;   // "linear iteration"
  bool canExpand = false, isExpanded = false;
  QString cluster;
  QRectF box;

  bool isStored() const { return storesValue || storesGradient; }
  // Does a schedule decide whether it is stored?
  bool canStore() const { return kind == DagKind::Intermediate || kind == DagKind::Sum; }
};

struct GraphEdge {
  std::size_t from = 0, to = 0;  // positions in GraphSnapshot::nodes
  bool isCut = false;
  QString label;  // where it is read
  // A Bezier spline: a point, then three for every piece.
  std::vector<QPointF> spline;
};

struct GraphCluster {
  QString id, name;
  QRectF box;
};

struct GraphSnapshot {
  QString scheduleHash;
  std::vector<GraphNode> nodes;  // each after those that it reads
  std::vector<GraphEdge> edges;
  std::vector<GraphCluster> clusters;
  // The x of the cut: nodes that are computed once a nonlinear iteration are left of it, those of
  // every linear iteration right of it. Nothing where linear iterations read nothing from the left.
  std::optional<double> cut;
  QRectF bounds;
  QString notice;  // why the layout is a simple one; empty when `dot` made it
};

}  // namespace thallo::gui
