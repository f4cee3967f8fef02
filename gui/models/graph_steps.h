// The keys that go from node to node of the graph: to what a node reads, to what reads it, and up
// and down among those that stand in its column.
#pragma once

#include <cstddef>
#include <optional>

#include "gui/models/graph_data.h"

namespace thallo::gui {

enum class GraphStep {
  ToOperand,  // the node that it reads whose height is nearest
  ToUser,     // that which reads it, likewise
  Up,         // the next above it in its column; the nearest of all above where the column ends
  Down
};

// The position of the node where the step from the node at `from` leads; absent when there is none.
std::optional<std::size_t> nodeAfter(const GraphSnapshot& graph, std::size_t from, GraphStep step);

}  // namespace thallo::gui
