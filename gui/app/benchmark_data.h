// Made-up data, as large as what the app promises to be quick with.
#pragma once

#include <cstddef>
#include <memory>

#include "core/explore/report/report.h"
#include "gui/models/graph_data.h"

namespace thallo::gui {

// So many candidates as an exploration would find them, without a store.
DeviceReport manyCandidates(std::size_t count);

// Copies of the graph beside and below each other, until there are so many nodes. The
// graph has some.
std::shared_ptr<const GraphSnapshot> manyNodes(const GraphSnapshot& graph, std::size_t count);

}  // namespace thallo::gui
