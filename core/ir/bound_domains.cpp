#include "core/ir/bound_domains.h"

#include <algorithm>
#include <span>

#include "core/ir/missing_nodes.h"

namespace thallo {

ExprId BoundDomainRenaming::operator()(ExprId root) {
  for (const ExprId id : missing_nodes(graph_, root, renamed_)) {
    std::vector<ExprId> operands = graph_.operands(id);
    const std::vector<ExprId> original = operands;
    for (ExprId& operand : operands) operand = renamed_.at(operand);
    ExprId result = id;
    if (graph_[id].op == Op::Sum) {
      result = sum(graph_.sum_domains(id), operands.front(), graph_.sum_kind(id));
    } else if (operands != original) {
      result = graph_.with_operands(id, operands);
    }
    renamed_.emplace(id, result);
  }
  return renamed_.at(root);
}

ExprId BoundDomainRenaming::sum(std::vector<DomainId> bound, ExprId summand, SumKind kind) {
  std::vector<DomainId> taken = graph_.free_domains(summand);
  std::erase_if(taken, [&](DomainId d) { return std::ranges::find(bound, d) != bound.end(); });
  taken.insert(taken.end(), around_.begin(), around_.end());
  for (const ExprId inner : graph_.reachable(std::span(&summand, 1))) {
    if (graph_[inner].op != Op::Sum) continue;
    const std::vector<DomainId>& domains = graph_.sum_domains(inner);
    taken.insert(taken.end(), domains.begin(), domains.end());
  }
  DomainSubstitution other_names;
  for (DomainId& domain : bound) {
    const DomainId name = graph_.indices().rename(domain, taken);
    taken.push_back(name);
    if (name != domain) other_names[domain] = graph_.indices().component(name);
    domain = name;
  }
  return graph_.sum(bound, graph_.substitute(summand, other_names), kind);
}

}  // namespace thallo
