#pragma once

// Renames the domains of Sums apart from those around and inside. A Sum may sit inside another Sum,
// or inside a loop, over the very domain that it sums over. Such an expression is well defined,
// because a Sum binds its domains. A kernel made of it is not: the kernel computes each node once,
// in the loops over the node's domains, so two nested loops must not share a domain.

#include <map>
#include <utility>
#include <vector>

#include "core/ir/graph.h"

namespace thallo {

// Renames a domain of a Sum if it is among `around` or if a Sum inside uses it too. The result for
// a Sum does not depend on the Sum's position in an expression, so equal Sums stay equal.
class BoundDomainRenaming {
 public:
  BoundDomainRenaming(ExprGraph& graph, std::vector<DomainId> around)
      : graph_(graph), around_(std::move(around)) {}

  ExprId operator()(ExprId root);

 private:
  // Returns the Sum over `bound`, with other names for the domains that need them; the Sums inside
  // `summand` must be renamed already.
  ExprId sum(std::vector<DomainId> bound, ExprId summand, SumKind kind);

  ExprGraph& graph_;
  std::vector<DomainId> around_;
  std::map<ExprId, ExprId> renamed_;
};

}  // namespace thallo
