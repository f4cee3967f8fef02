// The expressions of a kernel's sections, for passes that replace all of them. The epilogue's are
// left alone: they are few, and run once. Private to code generation.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "core/kernel/kernel.h"

namespace thallo {

// Calls visit(expression, domains) for every expression, in the order of the statements. `domains`
// are those of the section and of the loops around the statement. The visitor may replace the
// expression.
void visit_expressions(
    Kernel& kernel,
    const std::function<void(ExprId& expression, const std::vector<DomainId>& domains)>& visit);

// Replaces all expressions at once by `rewrite(expressions)`, which returns as many in the same
// order.
void rewrite_expressions(
    Kernel& kernel,
    const std::function<std::vector<ExprId>(std::span<const ExprId> expressions)>& rewrite);

// All expressions, as visit_expressions() finds them.
std::vector<ExprId> expressions_of(const Kernel& kernel);

// Nodes of the graph that the kernel's expressions are made of.
std::size_t num_nodes(const ExprGraph& graph, const Kernel& kernel);

}  // namespace thallo
