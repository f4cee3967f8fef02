// What a graph would be if an edit of the schedule were made, as far as its own nodes are there,
// too.
#pragma once

#include <map>
#include <set>
#include <utility>

#include "gui/graph/graph_data.h"
#include "gui/schedule/schedule_data.h"

namespace thallo::gui {

struct GraphPreview {
  struct Change {
    bool isGone = false;  // true if there is no such node
    bool isFar = false, isStored = false;
    bool movesSide = false, changesStored = false;  // true if this differs from how it is
  };
  Trial trial;                        // what was tried
  std::map<QString, Change> changes;  // by the id of the node; those that are as they are lack
  std::set<std::pair<QString, QString>> cut;  // the edges that would cross it, by the nodes' ids
  std::map<QString, QString> names;           // of nodes, by the name of their site

  // "sin, cos(Angle): value, −3.4 % (−213 µs), 4.10 MB"
  QString words() const;
};

GraphPreview makePreview(const GraphSnapshot& now, const GraphSnapshot& then, const Trial& trial);

}  // namespace thallo::gui
