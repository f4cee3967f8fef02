// Keyboard navigation between the nodes of the graph: to a node that it reads, to a node that reads
// it, and up and down within its column.
#pragma once

#include <cstddef>
#include <optional>

#include "gui/graph/graph_data.h"

namespace thallo::gui {

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
