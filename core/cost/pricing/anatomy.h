#pragma once

// The expressions that the products of an energy consist of, split at its intermediates, so that
// each intermediate can be treated as read or as recomputed.
//
// A residual has a value and partials; both are written in terms of reads of intermediates' values
// and derivatives. An intermediate has values and derivatives, written in the same way over its own
// domains. A plan's decisions about intermediates change no expression here, but its decisions
// about parallel Sums do: expressions around a parallel Sum read its stored values.

#include <vector>

#include "core/diff/gradient.h"
#include "core/energy/energy.h"

namespace thallo {

struct ResidualAnatomy {
  ExprId value;
  ExprId weight;  // of a robust loss; invalid if there is none
  std::vector<Partial> partials;
  // The terms of Jp: like `partials`, but by the value of a parallel Sum where they go through one.
  std::vector<Partial> directions;
};

// A parallel Sum, whose values are stored.
struct SumAnatomy {
  std::size_t planned = 0;        // position in sums_of(energy)
  std::vector<DomainId> domains;  // of its values
  IndexId here;                   // these domains as an index
  std::vector<DomainId> points;   // these and the domains that are summed over
  ExprId summand;
  std::vector<Partial> directions;  // of the summand
  FieldId values, product;          // not part of any energy; product is the Sum's share of Jp
};

struct IntermediateAnatomy {
  std::vector<DomainId> domains;
  std::vector<ExprId> values;  // one per channel
  // The derivatives by unknown scalars that are not constant, without repetition. An expression
  // reads derivative number c as channel c of the field `gradient`.
  std::vector<ExprId> derivatives;
  FieldId gradient;  // not part of any energy
};

class Anatomy {
 public:
  // `parallel_sums` says for each of sums_of(energy) whether it is parallel.
  Anatomy(const Energy& energy, const std::vector<bool>& parallel_sums);

  const Energy& energy() const { return energy_; }
  // A copy of the energy's graph, with derivatives.
  ExprGraph& graph() { return graph_; }
  const ExprGraph& graph() const { return graph_; }

  // Residuals of groups over domains of equal dims are written in terms of the same domains.
  const ResidualAnatomy& residual(std::size_t group, std::size_t residual) const {
    return residuals_[group][residual];
  }
  const std::vector<IntermediateAnatomy>& intermediates() const { return intermediates_; }
  // Returns the position of the intermediate whose values or derivatives the field holds; -1 if
  // there is none.
  int intermediate_of(FieldId field) const;
  bool is_gradient(FieldId field) const {
    return field.index() >= energy_.fields().size() && field.index() < first_of_sums();
  }
  // The parallel Sums, each after those nested inside it.
  const std::vector<SumAnatomy>& sums() const { return sums_; }
  // Returns the position of the parallel Sum whose values or product the field holds; -1 if there
  // is none.
  int sum_of(FieldId field) const {
    return field.index() < first_of_sums()
               ? -1
               : static_cast<int>((field.index() - first_of_sums()) / 2);
  }
  // Returns the domain that represents a domain of a residual group here.
  DomainId own_domain(DomainId domain) const;

 private:
  // Differentiates through Sums; for directions, only up to the values of parallel ones.
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
  // Replaces parallel Sums by reads of their values.
  ExprId with_stored_sums(ExprId expression);
  DomainSubstitution common_names(const ResidualGroup& group);

  const Energy& energy_;
  ExprGraph graph_;
  std::vector<IntermediateAnatomy> intermediates_;
  std::vector<SumAnatomy> sums_;
  std::map<ExprId, ExprId> stored_sums_;  // Sums of the energy, and reads of their stored values
  std::vector<std::vector<ResidualAnatomy>> residuals_;  // by group
  std::map<std::vector<DimId>, std::vector<DomainId>> domains_of_dims_;
  std::map<DomainId, DomainId> own_domains_;
};

}  // namespace thallo
