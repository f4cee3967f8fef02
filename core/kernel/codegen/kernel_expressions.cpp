#include "core/kernel/codegen/kernel_expressions.h"

#include <type_traits>
#include <variant>

namespace thallo {
namespace {

// `Statements` is Block or const Block.
template <class Statements, class Visit>
void visit_block(Statements& block, const std::vector<DomainId>& around, const Visit& visit) {
  for (auto& statement : block) {
    std::visit(
        [&](auto& s) {
          using S = std::remove_cvref_t<decltype(s)>;
          if constexpr (std::is_same_v<S, Loop>) {
            std::vector<DomainId> inside = around;
            inside.insert(inside.end(), s.domains.begin(), s.domains.end());
            visit_block(s.body, inside, visit);
          } else if constexpr (std::is_same_v<S, Guard>) {
            visit(s.condition, around);
            visit_block(s.body, around, visit);
          } else {
            visit(s.value, around);
          }
        },
        statement.node);
  }
}

}  // namespace

void visit_expressions(
    Kernel& kernel,
    const std::function<void(ExprId& expression, const std::vector<DomainId>& domains)>& visit) {
  for (Section& section : kernel.sections) visit_block(section.body, section.domains, visit);
}

void rewrite_expressions(
    Kernel& kernel,
    const std::function<std::vector<ExprId>(std::span<const ExprId> expressions)>& rewrite) {
  const std::vector<ExprId> rewritten = rewrite(expressions_of(kernel));
  std::size_t next = 0;
  visit_expressions(kernel,
                    [&](ExprId& expression, const auto&) { expression = rewritten[next++]; });
}

std::vector<ExprId> expressions_of(const Kernel& kernel) {
  std::vector<ExprId> expressions;
  for (const Section& section : kernel.sections) {
    visit_block(section.body, section.domains,
                [&](ExprId expression, const auto&) { expressions.push_back(expression); });
  }
  return expressions;
}

std::size_t num_nodes(const ExprGraph& graph, const Kernel& kernel) {
  return graph.reachable(expressions_of(kernel)).size();
}

}  // namespace thallo
