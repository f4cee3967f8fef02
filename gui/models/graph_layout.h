// Where the nodes and edges of a graph lie. Distances are in pixels; y grows downward.
#pragma once

#include <QByteArray>
#include <QSizeF>

#include "gui/models/graph_data.h"

namespace thallo::gui {

// The size that a node is drawn with.
QSizeF nodeSize(const GraphNode& node);

// Places nodes, edges and clusters as `dot -Tjson` does. Fails when the JSON is not of this graph.
Expected<void> applyDotLayout(const QByteArray& json, GraphSnapshot& graph);
// Places them without `dot`: nodes in columns, each to the right of all that it reads on its side
// of the cut, the far side right of the near one, in an order that keeps neighbors together; edges
// are single curves.
void applyRankLayout(GraphSnapshot& graph);
// Finds the cut between the two sides, once nodes have their places.
void traceCut(GraphSnapshot& graph);

}  // namespace thallo::gui
