#pragma once

// Determines which index components are inside their dims wherever the value of an expression
// counts. In `in_bounds(w + 1) * e`, e counts only if w + 1 is inside W: "w + 1 is inside W" is a
// *fact* of e and of everything e is made of. The same holds for the selected side of a Select. A
// condition can imply this without a bounds test: a field reads 0 outside, so a condition that is
// false when Mask(w + 1) is 0, such as `0 < Mask(w + 1)`, implies that w + 1 is inside. An
// expression with several users has the facts that hold at all of them.

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
  // Collects the facts of everything below the roots; a root itself has none. Adds nodes to the
  // graph. Graph, energy and operands must outlive this object.
  BoundsFacts(ExprGraph& graph, const Energy& energy, GroupedOperands& operands,
              std::span<const ExprId> roots);

  // True if the position is inside a field over these dims wherever the expression counts.
  bool is_inside(ExprId expression, const MultiIndex& position, std::span<const DimId> dims) const;

 private:
  using Fact = std::pair<IndexId, DimId>;  // an index of one component, and the dim it is inside of
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
