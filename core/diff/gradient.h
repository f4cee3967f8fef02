#pragma once

// Symbolic forward differentiation in one pass over an expression. The gradient of an expression
// with respect to all unknowns is a list of partials, one per syntactically distinct unknown access
// (field, index, channel) and list of Sum domains around it:
//
//   dE = sum over partials p, over all points of p.loops:  p.value * d unknown[p.index].channel
//
// `loops` are the domains of the Sums that the access sits in (none outside every Sum); value and
// index may mention them. Equal accesses are added into one partial; partials that are identically
// zero are dropped. The chain rule follows the values of intermediates (outside the dims of a named
// one the gradient is 0, as the value is) and treats Select, Sum and samples as core/ir/op.h says.
// Unknowns on a manifold are differentiated by their steps, at step 0: the derivative by the stored
// channels times the tangent basis (core/energy/manifold.h). This code yields expressions and never
// decides what is stored.

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
using Gradient = std::vector<Partial>;  // ordered by (unknown, loops, index content hash, channel)

// Returns the same partial with canonical loops: each loop gets the first of its names k,
// k', k'', ... that neither `around` nor a loop farther out has; then loops are sorted
// ascending. So two partials of an expression over `around` that differ only in the names of
// their loops become equal.
Partial with_loops_named(ExprGraph& graph, Partial partial, std::vector<DomainId> around);

class Differentiator {
 public:
  // `graph` is where derivative expressions are made; it must contain the energy's expressions
  // under the same ids (a copy of the energy's graph).
  Differentiator(ExprGraph& graph, const Energy& energy);

  // From now on reads of `field` have these gradients, one per channel and over `domains`, instead
  // of what the energy says. Lowering defines intermediates whose values or gradients are stored or
  // whose values read stored Sums, and stored Sums themselves, which the energy does not know as
  // fields. Must precede the differentiation of anything that reads the field.
  void define(FieldId field, std::vector<DomainId> domains, std::vector<Gradient> channels);

  // Memoized per node. Throws InternalError on a Sample without declared derivatives whose position
  // depends on an unknown (Energy::make refuses such energies).
  const Gradient& gradient(ExprId expression);

  // Returns ρ'(s) of a loss as a function like its ρ, for applied() (core/energy/loss.h).
  ExprId slope(const Loss& loss);

 private:
  // Returns the derivative of a function by its argument. A selection stays one, so that the other
  // side is not computed. A quotient has its own rule, since in its numerator equal terms cancel.
  ExprId derivative(ExprId function);
  class Collector;
  // The gradient of one node; those of its operands are in memo_.
  Gradient compute(ExprId expression);
  Gradient through_access(ExprId read);
  Gradient through_sum(ExprId sum);
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
