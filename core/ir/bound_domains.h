#pragma once

// Domains of Sums that nothing around or inside has. A Sum may sit in another one, or in a loop,
// over the domain that it sums over: as expressions these mean what they should, but what is made
// of them puts each node once, where its domains run.

#include <map>
#include <utility>
#include <vector>

#include "core/ir/graph.h"

namespace thallo {

// Renames the domains of Sums that are one of `around`, or that a Sum inside has. What becomes of a
// Sum does not depend on where it stands.
class BoundDomainRenaming {
 public:
  BoundDomainRenaming(ExprGraph& graph, std::vector<DomainId> around)
      : graph_(graph), around_(std::move(around)) {}

  ExprId operator()(ExprId root);

 private:
  ExprId sum(std::vector<DomainId> bound, ExprId summand);

  ExprGraph& graph_;
  std::vector<DomainId> around_;
  std::map<ExprId, ExprId> renamed_;
};

}  // namespace thallo
