#pragma once

// An expression graph in which sums and products are taken apart by what their operands depend on.
// Sums and products are flat, so the entries of a rotation by angles at V0(e) that stand in
// products with what depends on e are no expressions of their own. Here they are: operands over the
// same smaller space are one operand. Putting such a view together again (with_operands) gives the
// expression as it was.

#include <map>
#include <span>
#include <vector>

#include "core/energy/found/coordinates.h"

namespace thallo {

class GroupedOperands {
 public:
  // The graph grows by the groups. Both must outlive it.
  GroupedOperands(ExprGraph& graph, Coordinates& coordinates)
      : graph_(graph), coordinates_(coordinates) {}

  const std::vector<ExprId>& of(ExprId expression);
  // Everything below the roots, each after its operands. Not by id: groups are younger than their
  // users.
  std::vector<ExprId> reachable(std::span<const ExprId> roots);

 private:
  std::vector<ExprId> grouped(ExprId expression);

  ExprGraph& graph_;
  Coordinates& coordinates_;
  std::map<ExprId, std::vector<ExprId>> operands_;
};

}  // namespace thallo
