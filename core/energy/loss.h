#pragma once

// Robust losses of residual groups. A group with a loss costs ½ Σ ρ(s) over its points instead of
// ½ Σ s, where s = ‖r‖² is the squared norm of all residuals of the group at a point:
//
//   huber(a)          ρ(s) = s where s <= a², else 2a√s - a²
//   soft_l1(a)        ρ(s) = 2a² (√(1 + s / a²) - 1)
//   cauchy(a)         ρ(s) = a² log(1 + s / a²)
//   arctan(a)         ρ(s) = a² arctan(s / a²)
//   geman_mcclure(a)  ρ(s) = s / (1 + s / a²)
//   tukey(a)          ρ(s) = a²/3 (1 - (1 - s / a²)³) where s <= a², else a²/3
//
// Each ρ(s) is close to s near 0; residuals with ‖r‖ > a count as outliers. The first two grow like
// ‖r‖, so that the cost of linear residuals stays convex; the last three are bounded. Solvers
// weight residuals and Jacobian by √ρ'(s) and drop the term with ρ'', so that JtF is still the
// gradient of the cost and JtJ stays positive semi-definite.

#include <array>
#include <optional>
#include <string_view>

#include "core/base/diagnostic.h"
#include "core/energy/rounded.h"
#include "core/ir/graph.h"

namespace thallo {

enum class LossKind { Huber, SoftL1, Cauchy, Arctan, GemanMcClure, Tukey };
inline constexpr std::array LossKinds = {LossKind::Huber,  LossKind::SoftL1,       LossKind::Cauchy,
                                         LossKind::Arctan, LossKind::GemanMcClure, LossKind::Tukey};

std::string_view to_string(LossKind kind);  // the name in the energy language

struct Loss {
  LossKind kind = LossKind::Huber;
  ExprId scale;  // a: a number or made of params, positive
  SourceLocation where;
};

// ρ(s) and ρ'(s) as numbers.
struct LossValue {
  Rounded rho;
  Rounded weight = Rounded::factor(1);
};
LossValue evaluate_loss(LossKind kind, const Rounded& scale, const Rounded& s);

// ρ(s) and ρ'(s) as expressions.
ExprId loss_rho(ExprGraph& graph, const Loss& loss, ExprId s);
ExprId loss_weight(ExprGraph& graph, const Loss& loss, ExprId s);

}  // namespace thallo
