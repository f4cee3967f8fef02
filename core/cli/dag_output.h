// The graph of an energy under a plan, as the command line shows it.
#pragma once

#include <string>
#include <vector>

#include "core/explore/dag/view.h"
#include "core/problem/driver.h"

namespace thallo::cli {

// For the sizes of the instance that the target has. Fails for an id of what cannot be expanded.
Expected<DagView> dag_view(const Energy& energy, const Plan& plan,
                           const std::vector<std::string>& expanded, const AutoTarget& target);

// One object with "nodes" and "edges"; these name nodes by their ids.
std::string dag_json(const DagView& view);

}  // namespace thallo::cli
