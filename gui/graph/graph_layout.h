// Computes the positions of a graph's nodes and edges, and the steps from node to node by them.
// Distances are in pixels; y points down.
#pragma once

#include <cstddef>
#include <optional>

#include <QByteArray>
#include <QSizeF>

#include "gui/graph/graph_data.h"

namespace thallo::gui {

// Returns the size in which a node is drawn.
QSizeF nodeSize(const GraphNode& node);

// Returns the areas of the node's slabs within a box of that size.
std::vector<QRectF> slabAreas(const GraphNode& node, const QSizeF& size);
// Returns what stands on a slab: "value", "∂".
QString slabLabel(const QString& name);

// Places nodes, edges and clusters as `dot -Tjson` says. Fails if the JSON does not belong to this
// graph.
Expected<void> applyDotLayout(const QByteArray& json, GraphSnapshot& graph);
// Places everything without `dot`. Nodes are in columns, each to the right of everything that it
// reads on its side of the cut, and the far side is to the right of the near side. The order within
// columns keeps neighbors together. Edges are single curves.
void applyRankLayout(GraphSnapshot& graph);
// Return curves from one box to another: between the sides that face each other, or from the bottom
// of one to the top of the other.
std::vector<QPointF> straightSpline(const QRectF& from, const QRectF& to);
std::vector<QPointF> uprightSpline(const QRectF& from, const QRectF& to);
// Sets the bounds from the boxes of nodes and clusters.
void includeBounds(GraphSnapshot& graph);
// Finds the line between the two sides, once nodes have positions.
void traceCut(GraphSnapshot& graph);

// Keyboard navigation between the nodes: to a node that it reads, to a node that reads it, and up
// and down within its column.
enum class GraphStep {
  ToOperand,  // to the operand at the nearest height
  ToUser,     // to the user at the nearest height
  Up,         // to the next above in its column; else the nearest above
  Down
};

// Returns the position of the node that the step leads to from node `from`; absent if there is
// none.
std::optional<std::size_t> nodeAfter(const GraphSnapshot& graph, std::size_t from, GraphStep step);

}  // namespace thallo::gui
