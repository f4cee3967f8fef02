#include "core/kernel/codegen/expression_passes.h"

#include <algorithm>
#include <map>
#include <vector>

#include "core/ir/bound_domains.h"
#include "core/kernel/codegen/kernel_expressions.h"

namespace thallo {

void separate_domains(ExprGraph& graph, Kernel& kernel) {
  const std::vector<ExprId> nodes = graph.reachable(expressions_of(kernel));
  if (std::ranges::none_of(nodes, [&](ExprId id) { return graph[id].op == Op::Sum; })) return;
  std::map<std::vector<DomainId>, BoundDomainRenaming> renamings;  // by the domains around
  visit_expressions(kernel, [&](ExprId& expression, const std::vector<DomainId>& around) {
    expression = renamings.try_emplace(around, graph, around).first->second(expression);
  });
}

}  // namespace thallo
