#pragma once

// A view of an expression graph in which the operands of sums and products are grouped by what they
// depend on. Sums and products of the graph are flat: cos(P(V0(e))) * sin(P(V0(e))) * L(e) is one
// product of three, and cos * sin, which depends on the vertex V0(e) only, is no expression of its
// own. In this view it is: operands over the same smaller space are one operand. with_operands()
// with the grouped operands gives the expression as it was.

#include <map>
#include <span>
#include <vector>

#include "core/energy/found/coordinates.h"

namespace thallo {

class GroupedOperands {
 public:
  // Adds groups to the graph. Both arguments must outlive this object.
  GroupedOperands(ExprGraph& graph, Coordinates& coordinates)
      : graph_(graph), coordinates_(coordinates) {}

  const std::vector<ExprId>& of(ExprId expression);
  // Returns everything below the roots, including the roots, each after its operands. This is not
  // the order of ids: a group is made after its users and has a larger id.
  std::vector<ExprId> reachable(std::span<const ExprId> roots);

 private:
  std::vector<ExprId> grouped(ExprId expression);

  ExprGraph& graph_;
  Coordinates& coordinates_;
  std::map<ExprId, std::vector<ExprId>> operands_;
};

}  // namespace thallo
