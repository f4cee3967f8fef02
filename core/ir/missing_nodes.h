#pragma once

// Which nodes a memo by node still lacks. Whoever computes something for each node of an expression
// asks this, so that what several expressions share is walked through once.

#include <algorithm>
#include <unordered_set>
#include <vector>

#include "core/ir/graph.h"

namespace thallo {

// Returns the nodes reachable from `root` that are not in `known`, ascending (operands before
// users), without looking below nodes that are in it.
template <class Map>
std::vector<ExprId> missing_nodes(const ExprGraph& graph, ExprId root, const Map& known) {
  std::vector<ExprId> missing;
  std::vector<ExprId> waiting = {root};
  std::unordered_set<ExprId> found;
  while (!waiting.empty()) {
    const ExprId id = waiting.back();
    waiting.pop_back();
    if (known.contains(id) || !found.insert(id).second) continue;
    missing.push_back(id);
    for (const ExprId operand : graph.operands(id)) waiting.push_back(operand);
  }
  std::ranges::sort(missing);
  return missing;
}

}  // namespace thallo
