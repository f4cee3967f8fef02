// What can be stored of a node, each as a slab that is a button: the value and the gradient of an
// intermediate, and the value of a Sum that is computed in parallel.
#pragma once

#include <vector>

#include "gui/graph/graph_data.h"
#include "gui/schedule/choice_text.h"

namespace thallo::gui {

struct GraphSlab {
  QString name;              // "value", "gradient", "parallel"
  bool isOn = false;         // true if it is stored
  ScheduleEdit toggle = {};  // turns it on or off; without a construct if nothing is known yet
  QString illegal = {};      // why it cannot be toggled; empty if it can
  CostWords cost = {};       // of toggling it; empty while unknown
  QString gain = {};         // the same in two digits: "−26 %"; empty if unknown or no change

  bool isKnown() const { return !toggle.construct.isEmpty(); }
  // What it is, what a click does, and what that costs, in sentences.
  QString tip() const;
};

// Returns the slabs of a node, none if no schedule decides about it. `sites` are those that decide
// about the node.
std::vector<GraphSlab> slabsOf(const GraphNode& node, const std::vector<const SiteRow*>& sites);
// Returns how many that are.
std::size_t numSlabs(const GraphNode& node);

}  // namespace thallo::gui
