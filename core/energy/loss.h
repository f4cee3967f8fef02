#pragma once

// Robust losses of residual groups. A group with a loss costs ½ Σ ρ(s) over its points instead of
// ½ Σ s, where s = ‖r‖² is the squared norm of all residuals of the group at a point. A loss is the
// expression ρ, and all else follows from it: values from the evaluator, ρ' from the Differentiator
// (core/diff/gradient.h). The energy language knows the losses of known_losses() by name; an author
// may write others. Of each ρ(0) = 0 and ρ'(0) = 1, so that ρ(s) is close to s near 0, and ρ' is
// nowhere negative.
//
// Solvers weight residuals and Jacobian by √ρ'(s) and drop the term with ρ'', so that JtF is still
// the gradient of the cost and JtJ stays positive semi-definite.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/diagnostic.h"
#include "core/ir/graph.h"

namespace thallo {

class Binding;
class Energy;
class Expr;

// Residuals with ‖r‖ > a count as outliers.
struct KnownLoss {
  std::string_view name;     // in the energy language
  std::string_view formula;  // of ρ, for people
  Expr (*rho)(Expr s, Expr a);
  // ρ', where the derivative of ρ as it is written has terms that cancel, or more than it needs;
  // otherwise null.
  Expr (*slope)(Expr s, Expr a);
};
// Adding a loss is adding it to these.
std::span<const KnownLoss> known_losses();
const KnownLoss* find_known_loss(std::string_view name);

// The functions of a loss are made of its arguments s and a (ExprGraph::argument), params and
// numbers.
struct Loss {
  const KnownLoss* known = nullptr;  // null: the author wrote ρ
  ExprId scale;                      // a of a known loss: a number or made of params, positive
  ExprId rho;
  ExprId slope;  // invalid where it is the derivative of ρ as written
  SourceLocation where;

  // What the author wrote: the scale, or ρ.
  ExprId written() const { return known != nullptr ? scale : rho; }
  // "the loss huber", or "the loss".
  std::string title() const;
};

// Returns a function of the loss at s.
ExprId applied(ExprGraph& graph, const Loss& loss, ExprId function, ExprId s);

// Returns what is wrong with what authors wrote: with losses that read params, which are to be
// bound, or with the others. That ρ' is nowhere negative is tried at many s and logged as unproven.
std::vector<Diagnostic> check_losses(const Energy& energy, const Binding& binding,
                                     bool that_read_params);

}  // namespace thallo
