// Makes synthetic data as large as the data for which the app promises to be fast.
#pragma once

#include <cstddef>
#include <memory>

#include "core/explore/report/report.h"
#include "gui/graph/graph_data.h"

namespace thallo::gui {

// Makes this many candidates as an exploration would find them, without a store and effects.
DeviceReport manyCandidates(std::size_t count);

// Computes what the choices of such candidates buy.
void addEffects(DeviceReport& report);

// Arranges copies of the graph beside and below each other until there are `count` nodes. The graph
// must not be empty.
std::shared_ptr<const GraphSnapshot> manyNodes(const GraphSnapshot& graph, std::size_t count);

}  // namespace thallo::gui
