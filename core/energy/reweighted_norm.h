// What iterative reweighting minimizes. A residual r = c w u, in which w = (s + e)^((p - 2) / 2) is
// frozen and s is the norm of all such u, costs 1/2 c^2 s^p (L_p and L_1 of the language). But
// steps that hold w fixed lead to a minimum of c^2 times
//
//   f(s) = integral over t from 0 to s of t (t + e)^(p - 2),   about s^p / p
//
// since w^2 u is its gradient; and as w falls with s, they never raise it (p <= 2).
#pragma once

#include <optional>
#include <vector>

#include "core/energy/energy.h"
#include "core/energy/inlining.h"

namespace thallo {

class ReweightedNorms {
 public:
  // `graph` is the energy's own or a copy with more expressions; nodes are added to it. Both must
  // outlive this object.
  ReweightedNorms(ExprGraph& graph, const Energy& energy)
      : g_(graph), energy_(energy), inlined_(graph, energy) {}

  // Returns what to multiply r^2 by so that half of it is r's share of c^2 f(s): 2 f(s) / (w s)^2.
  // Absent if the residual has no such weight.
  std::optional<ExprId> cost_factor(ExprId residual);

 private:
  bool reads_unknown(ExprId expression);
  // True if it reads unknowns, but under Freeze alone.
  bool is_frozen(ExprId expression);
  ExprId thawed(ExprId expression);  // without Freeze
  // Returns the product of the factors that read unknowns, each with the exponent.
  ExprId moving_factors(const std::vector<ExprId>& factors, int exponent);
  bool is_norm_of(ExprId norm, ExprId squared);

  ExprGraph& g_;
  const Energy& energy_;
  Inlining inlined_;
};

}  // namespace thallo
