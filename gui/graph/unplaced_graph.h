// A graph whose nodes have not been placed by `dot` yet.
#pragma once

#include <QByteArray>

#include "core/explore/dag/view.h"
#include "gui/graph/graph_data.h"

namespace thallo::gui {

struct UnplacedGraph {
  GraphSnapshot graph;
  QByteArray dotText;  // the input for `dot`
};

// Makes the graph of a view; the hash of its schedule is not set. `linearIterations` is how many a
// nonlinear iteration has.
UnplacedGraph unplacedGraph(const DagView& view, double linearIterations);

}  // namespace thallo::gui
