// Fits a graph that was laid out into a page. The columns of each side of the cut are folded into
// as many lines as it takes to read the names, and what is left of the page goes to the gaps.
#pragma once

#include <QSizeF>

#include "gui/graph/graph_data.h"

namespace thallo::gui {

// The smallest text that is easy to read, in pixels.
inline constexpr double ReadableText = 10;
// A small graph is not enlarged further to fill the page.
inline constexpr double LargestFit = 1.6;
// What surrounds the nodes when the whole graph is shown; the words about the sides are in it.
inline constexpr double SideMargin = 16, TopMargin = 40;

// Returns the area that is shown when all is shown.
QRectF shownArea(const GraphSnapshot& graph);
// Returns the scale at which a page of that size shows all of the graph.
double scaleToShow(const GraphSnapshot& graph, const QSizeF& page);
// Returns the scale at which node text is as small as ReadableText.
double readableScale();

// Moves the nodes, edges and clusters of a graph so that it fits better into the page. Sides of the
// cut stay sides, and what is left of something in its line stays left of it. A graph of very many
// nodes stays as it is: it is not read as a whole. Sets GraphSnapshot::cut and bounds.
void fitToPage(GraphSnapshot& graph, const QSizeF& page);

}  // namespace thallo::gui
