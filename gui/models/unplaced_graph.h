// A graph before `dot` has placed its nodes.
#pragma once

#include <QByteArray>

#include "core/explore/dag/view.h"
#include "gui/models/graph_data.h"

namespace thallo::gui {

struct UnplacedGraph {
  GraphSnapshot graph;
  QByteArray dotText;  // that `dot` lays it out by
};

// Without the hash of its schedule.
UnplacedGraph unplacedGraph(const DagView& view);

}  // namespace thallo::gui
