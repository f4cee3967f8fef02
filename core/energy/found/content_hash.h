#pragma once

// Hashes what an expression means: its operations and the names of the fields, maps and dims in it.
// The hash is the same in every run, independent of the order in which an energy declares its
// fields and builds its expressions. A domain of the expression is hashed by its dim and its
// position among the domains of the expression, the domain of a Sum by its dim and its name.

#include <map>
#include <vector>

#include "core/base/hash.h"
#include "core/energy/energy.h"

namespace thallo {

class ContentHash {
 public:
  // Both arguments must outlive this object. Reads of intermediates are not followed, so they must
  // be inlined first.
  ContentHash(const ExprGraph& graph, const Energy::Data& names) : graph_(graph), names_(names) {}

  // `domains` are the domains of the expression, in the order that defines their positions.
  Hash128 of(ExprId expression, const std::vector<DomainId>& domains);

 private:
  Hash128 own(ExprId expression);
  Hash128 own(DomainId domain);
  Hash128 own(const Affine& component);
  Hash128 own(IndexId index);

  const ExprGraph& graph_;
  const Energy::Data& names_;
  using Memo = std::map<ExprId, Hash128>;
  const std::vector<DomainId>* domains_ = nullptr;
  std::map<std::vector<DomainId>, Memo> memos_;
  Memo* memo_ = nullptr;  // that of domains_
};

}  // namespace thallo
