// The expressions that the products of an energy are made of, taken apart at its intermediates, so
// that an estimate can say for each intermediate whether it is read or computed again. Private to
// estimates.
//
// A residual is its value and its partials; both are written in reads of intermediates' values and
// derivatives. An intermediate is its values and its derivatives, in the same way, over its own
// domains. What a plan decides about intermediates changes no expression here.
#pragma once

#include <vector>

#include "core/diff/gradient.h"
#include "core/energy/energy.h"

namespace thallo {

struct ResidualAnatomy {
  ExprId value;
  ExprId weight;  // of a robust loss; invalid without one
  std::vector<Partial> partials;
};

struct IntermediateAnatomy {
  std::vector<DomainId> domains;
  std::vector<ExprId> values;  // one per channel
  // The derivatives by unknown scalars that are not constant, equal ones once. An expression reads
  // number c of them as channel c of the field `gradient`.
  std::vector<ExprId> derivatives;
  FieldId gradient;  // in no energy
};

class Anatomy {
 public:
  explicit Anatomy(const Energy& energy);

  const Energy& energy() const { return energy_; }
  // A copy of the energy's graph, with derivatives.
  ExprGraph& graph() { return graph_; }
  const ExprGraph& graph() const { return graph_; }

  // Residuals of groups over domains of equal dims are written in the same domains.
  const ResidualAnatomy& residual(std::size_t group, std::size_t residual) const {
    return residuals_[group][residual];
  }
  const std::vector<IntermediateAnatomy>& intermediates() const { return intermediates_; }
  // The position of the intermediate whose values or derivatives the field has; -1 if it has none.
  int intermediate_of(FieldId field) const;
  bool is_gradient(FieldId field) const { return field.index() >= energy_.fields().size(); }
  // The domain that stands for a domain of a residual group here.
  DomainId own_domain(DomainId domain) const;

 private:
  void take_apart(const Intermediate& intermediate, Differentiator& differentiator);
  void take_apart(const ResidualGroup& group, Differentiator& differentiator);
  DomainSubstitution common_names(const ResidualGroup& group);

  const Energy& energy_;
  ExprGraph graph_;
  std::vector<IntermediateAnatomy> intermediates_;
  std::vector<std::vector<ResidualAnatomy>> residuals_;  // by group
  std::map<std::vector<DimId>, std::vector<DomainId>> domains_of_dims_;
  std::map<DomainId, DomainId> own_domains_;
};

}  // namespace thallo
