#pragma once

// OnePass symbolic forward differentiation. The gradient of an expression with respect to all
// unknowns is a list of partials, one per syntactically distinct unknown access (field, index,
// channel) and set of Sum domains around it:
//
//   dE = sum over partials p, over all points of p.loops:  p.value * d unknown[p.index].channel
//
// `loops` are the domains of the Sums the access sits in (empty for an access outside every Sum);
// value and index may mention them. Equal accesses are added into one partial, identically zero
// partials are dropped. Chain rule through named intermediates follows their values (a gradient
// outside the intermediate's dims is 0), through Select, Sum and samples as documented in ir/op.h.
// Unknowns on a manifold are differentiated by their steps, at step 0: the derivative by the stored
// channels times the tangent basis (core/energy/manifold.h). Nothing here decides what is stored.

#include <map>
#include <vector>

#include "core/energy/energy.h"
#include "core/ir/graph.h"

namespace thallo {

struct Partial {
  FieldId unknown;
  IndexId index;
  int channel = 0;              // a tangent channel
  std::vector<DomainId> loops;  // the outermost first, those of one Sum ascending
  ExprId value;
};
using Gradient = std::vector<Partial>;  // ordered by (unknown, index content hash, loops, channel)

// The same partial with its loops, ascending, called by the first of k, k', k'' ... that no domain
// of `around` and no loop farther out has: what the partials of an expression over `around` have in
// common does not depend on how they were come by.
Partial with_loops_named(ExprGraph& graph, Partial partial, std::vector<DomainId> around);

class Differentiator {
 public:
  // `graph` is where derivative expressions are made; it must contain the energy's expressions
  // under the same ids (a copy of the energy's graph). `unknowns` are the fields to differentiate
  // by.
  Differentiator(ExprGraph& graph, const Energy& energy);

  // From now on reads of this field are differentiated by these gradients, one per channel over
  // `domains`, in place of what the energy says: of a stored gradient, of an intermediate made of
  // stored Sums, or of a stored Sum, which the energy does not know as a field. Must precede the
  // differentiation of what reads the field.
  void define(FieldId field, std::vector<DomainId> domains, std::vector<Gradient> channels);

  // Memoised per node. Throws InternalError on a Sample without declared derivatives whose position
  // depends on an unknown (Energy::make refuses such energies).
  const Gradient& gradient(ExprId expression);

 private:
  class Collector;
  Gradient compute(ExprId expression);
  Gradient through_intermediate(ExprId read);
  Gradient at_read(ExprId read, const std::vector<DomainId>& domains, const Gradient& own);
  Gradient through_manifold(ExprId read);

  ExprGraph& graph_;
  const Energy& energy_;
  struct Definition {
    std::vector<DomainId> domains;
    std::vector<Gradient> channels;
  };
  std::map<FieldId, Definition> definitions_;
  std::map<ExprId, Gradient> memo_;
};

}  // namespace thallo
