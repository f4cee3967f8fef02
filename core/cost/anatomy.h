#pragma once

// The expressions that the products of an energy are made of, taken apart at its intermediates, so
// that it can be said for each intermediate whether it is read or computed again.
//
// A residual is its value and its partials; both are written in reads of intermediates' values and
// derivatives. An intermediate is its values and its derivatives, in the same way, over its own
// domains. What a plan decides about intermediates changes no expression here. Which Sums are
// parallel does: what is around them reads their stored values.

#include <vector>

#include "core/diff/gradient.h"
#include "core/energy/energy.h"

namespace thallo {

struct ResidualAnatomy {
  ExprId value;
  ExprId weight;  // of a robust loss; invalid without one
  std::vector<Partial> partials;
  // What Jp is made of: as `partials`, but by the value of a parallel Sum where they go through it.
  std::vector<Partial> directions;
};

// A parallel Sum, whose values are stored.
struct SumAnatomy {
  std::size_t planned = 0;        // its position in sums_of(energy)
  std::vector<DomainId> domains;  // of its values
  IndexId here;                   // these as an index
  std::vector<DomainId> points;   // these, and those that are summed over
  ExprId summand;
  std::vector<Partial> directions;  // of the summand
  FieldId values, product;          // in no energy; product is the Sum's share of Jp
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
  // `parallel_sums` says of each of sums_of(energy) whether it is parallel.
  Anatomy(const Energy& energy, const std::vector<bool>& parallel_sums);

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
  bool is_gradient(FieldId field) const {
    return field.index() >= energy_.fields().size() && field.index() < first_of_sums();
  }
  // The parallel Sums, each after those inside it.
  const std::vector<SumAnatomy>& sums() const { return sums_; }
  // The position of the one that has the field, as its values or its product; -1 if none has it.
  int sum_of(FieldId field) const {
    return field.index() < first_of_sums()
               ? -1
               : static_cast<int>((field.index() - first_of_sums()) / 2);
  }
  // The domain that stands for a domain of a residual group here.
  DomainId own_domain(DomainId domain) const;

 private:
  // Through Sums, and for directions up to the values of parallel ones.
  struct Derivatives {
    Differentiator through, direct;
  };
  std::size_t first_of_sums() const {
    return energy_.fields().size() + energy_.intermediates().size();
  }
  void take_apart_sums(const std::vector<ExprId>& expressions,
                       const std::vector<bool>& parallel_sums, Derivatives& derivatives);
  void take_apart(const Intermediate& intermediate, Derivatives& derivatives);
  void take_apart(const ResidualGroup& group, Derivatives& derivatives);
  // Reads the values of parallel Sums.
  ExprId with_stored_sums(ExprId expression);
  DomainSubstitution common_names(const ResidualGroup& group);

  const Energy& energy_;
  ExprGraph graph_;
  std::vector<IntermediateAnatomy> intermediates_;
  std::vector<SumAnatomy> sums_;
  std::map<ExprId, ExprId> stored_sums_;  // Sums of the energy, and reads of their values
  std::vector<std::vector<ResidualAnatomy>> residuals_;  // by group
  std::map<std::vector<DimId>, std::vector<DomainId>> domains_of_dims_;
  std::map<DomainId, DomainId> own_domains_;
};

}  // namespace thallo
