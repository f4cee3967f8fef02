// Prints the graph of an energy under a plan.
#pragma once

#include <string>
#include <vector>

#include "core/explore/dag/view.h"
#include "core/problem/driver.h"

namespace thallo::cli {

// Makes the view for the sizes of the target's instance. Fails if an id names something that cannot
// be expanded.
Expected<DagView> dag_view(const Energy& energy, const Plan& plan,
                           const std::vector<std::string>& expanded, const AutoTarget& target);

// Returns one object with "nodes" and "edges". Edges refer to nodes by id.
std::string dag_json(const DagView& view);

}  // namespace thallo::cli
