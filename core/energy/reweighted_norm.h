// What iterative reweighting minimizes. A residual r = c w u, in which the weight w is frozen and
// falls with the norm s of all such u, costs 1/2 c^2 w^2 u^2. But steps that hold w fixed lead to a
// minimum of c^2 f(s), since w^2 u is its gradient, and never raise it. Two weights are known:
//
//   w^2 = (s + e)^q,    f(s) = integral over t from 0 to s of t (t + e)^q     (L_p: q = p - 2)
//   w^2 = (s^2 + e)^q,  f(s) = integral over t from 0 to s of t (t^2 + e)^q
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

  // Returns for each residual of a group what to multiply r^2 by so that half of it is r's share of
  // c^2 f(s): 2 f(s) / (w s)^2. Absent where a residual has no such weight, and for all residuals
  // with a weight whose norm is not that of them together.
  std::vector<std::optional<ExprId>> cost_factors(const ResidualGroup& group);

  // True if the residual has frozen parts that read unknowns, apart from unknowns that are held.
  bool has_frozen_parts(ExprId residual);

 private:
  struct Weighted {
    ExprId weight;              // without Freeze
    std::vector<ExprId> terms;  // of s^2, without factors that read no unknown
    std::size_t term = 0;       // the one that is u^2
    ExprId ratio;               // of what is left out in r^2 and in the term: c^2
    ExprId factor;
  };
  std::optional<Weighted> find_weight(ExprId residual);
  bool is_complete(const Weighted& one, const std::vector<std::optional<Weighted>>& all) const;

  struct Split {
    ExprId moving, fixed;  // the products of the factors that read unknowns, and of the others
  };
  Split split(ExprId product);
  bool reads_unknown(ExprId expression);
  // True if it reads unknowns, but under Freeze alone.
  bool is_frozen(ExprId expression);
  ExprId thawed(ExprId expression);  // without Freeze

  ExprGraph& g_;
  const Energy& energy_;
  Inlining inlined_;
};

}  // namespace thallo
