#pragma once

// The hash of what an expression says, by the names of fields, maps and dims: the same in every
// run, whatever the order in which an energy declares its fields and builds its expressions.
// Domains count by their position among those of the expression, those of Sums by their names.

#include <map>
#include <vector>

#include "core/base/hash.h"
#include "core/energy/energy.h"

namespace thallo {

class ContentHash {
 public:
  // Everything must outlive it. Reads of intermediates are not followed: write them out first.
  ContentHash(const ExprGraph& graph, const Energy::Data& names) : graph_(graph), names_(names) {}

  // `domains` are those of the expression.
  Hash128 of(ExprId expression, const std::vector<DomainId>& domains);

 private:
  Hash128 own(ExprId expression);
  Hash128 own(DomainId domain);
  Hash128 own(const Affine& component);
  Hash128 own(IndexId index);

  const ExprGraph& graph_;
  const Energy::Data& names_;
  const std::vector<DomainId>* domains_ = nullptr;
  std::map<ExprId, Hash128> memo_;
};

}  // namespace thallo
