#pragma once

// Which index components are known to be inside their dims wherever the value of an expression
// counts. Below a product with a condition, and on the side of a Select that the condition takes,
// the condition holds: what it tests is inside. A condition that does not hold where a field is
// read outside, because 0 is read there, says that the field is read inside. What is known of an
// expression is known at all places that use it.

#include <map>
#include <span>
#include <utility>
#include <vector>

#include "core/energy/access.h"
#include "core/energy/found/grouped_operands.h"
#include "core/energy/inlining.h"

namespace thallo {

class BoundsFacts {
 public:
  // Of everything below the roots, at which nothing is known. The graph grows; all must outlive it.
  BoundsFacts(ExprGraph& graph, const Energy& energy, GroupedOperands& operands,
              std::span<const ExprId> roots);

  // The position lies inside a field over these dims wherever the expression counts.
  bool is_inside(ExprId expression, const MultiIndex& position, std::span<const DimId> dims) const;

 private:
  using Fact = std::pair<IndexId, DimId>;  // one component
  using Facts = std::vector<Fact>;         // ascending
  void meet(ExprId expression, const Facts& known);
  Facts below(ExprId user, std::size_t operand, const Facts& known);
  const Facts& when_true(ExprId condition);
  Facts find_when_true(ExprId condition);
  bool is_false_without(ExprId condition, ExprId leaf);
  bool is_known(const Affine& component, DimId dim, const Facts& known) const;

  ExprGraph& graph_;
  const Energy& energy_;
  GroupedOperands& operands_;
  Inlining inlining_;
  std::map<ExprId, Facts> facts_;
  std::map<ExprId, Facts> when_true_;
};

}  // namespace thallo
