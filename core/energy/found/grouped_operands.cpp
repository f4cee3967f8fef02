#include "core/energy/found/grouped_operands.h"

#include <set>
#include <utility>

namespace thallo {

const std::vector<ExprId>& GroupedOperands::of(ExprId expression) {
  const auto known = operands_.find(expression);
  if (known != operands_.end()) return known->second;
  return operands_.emplace(expression, grouped(expression)).first->second;
}

std::vector<ExprId> GroupedOperands::grouped(ExprId expression) {
  const std::vector<ExprId> operands = graph_.operands(expression);
  const Op op = graph_[expression].op;
  if ((op != Op::Add && op != Op::Mul) || operands.size() < 3) return operands;
  const std::vector<AtomId> whole = coordinates_.of(expression);
  std::map<std::vector<AtomId>, std::vector<ExprId>> by_space;
  for (const ExprId operand : operands) {
    const std::vector<AtomId>& own = coordinates_.of(operand);
    if (!own.empty() && own != whole && !graph_.is_boolean(operand))
      by_space[own].push_back(operand);
  }
  std::vector<ExprId> result = operands;
  for (const auto& [space, members] : by_space) {
    if (members.size() < 2) continue;
    std::vector<ExprId> rest = result;
    std::erase_if(rest, [&](ExprId id) { return std::ranges::find(members, id) != members.end(); });
    rest.push_back(graph_.apply(op, members));
    if (graph_.with_operands(expression, rest) == expression) result = std::move(rest);
  }
  return result;
}

std::vector<ExprId> GroupedOperands::reachable(std::span<const ExprId> roots) {
  std::vector<ExprId> order;
  std::set<ExprId> met;
  std::vector<std::pair<ExprId, std::size_t>> path;  // an expression and its next operand
  for (const ExprId root : roots) {
    if (met.insert(root).second) path.emplace_back(root, 0);
    while (!path.empty()) {
      const ExprId current = path.back().first;
      const std::vector<ExprId>& operands = of(current);
      if (path.back().second == operands.size()) {
        order.push_back(current);
        path.pop_back();
        continue;
      }
      const ExprId next = operands[path.back().second++];
      if (met.insert(next).second) path.emplace_back(next, 0);
    }
  }
  return order;
}

}  // namespace thallo
