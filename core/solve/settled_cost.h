// The test of function_tolerance. A step says little by itself when the cost settles if it may be
// short because PCG stopped early, or because of a damping that no rejected step has asked for: the
// next step, with a larger radius and a stricter PCG, has to confirm it. And where steps change the
// cost by much else than the model promised, what is left shrinks by a fixed fraction a step, as
// with robust losses: then a tenth of the tolerance counts.
#pragma once

#include <optional>

#include "core/solve/options.h"
#include "core/solve/trial_step.h"

namespace thallo {

class SettledCost {
 public:
  // `solves_directly`: the linear solver leaves nothing unsolved, so that no step needs to confirm.
  SettledCost(const SolverOptions& options, bool solves_directly);

  // Must be called after every accepted step; `before` is the cost before it. Returns true if the
  // test is met, and confirmed where that is needed.
  bool is_reached_by(const TrialStep& step, double before);
  // Must be called after a rejected step, at the cost that it started from. Returns true if it
  // neither promised nor did more than is tolerated, as a step that is to confirm or one of a
  // direct solver.
  bool is_confirmed_by_rejection(const TrialStep& step, double cost) const;

  // True if the next step is to confirm that the cost has settled.
  bool is_confirming() const { return is_confirming_; }
  void forget() { is_confirming_ = false; }

 private:
  // True if damping that no rejected step asked for made the step short, or may hide that it did:
  // it was small on the whole, but the model is exact, and a larger radius costs nothing.
  bool may_be_short_by_damping(const TrialStep& step) const;

  std::optional<double> tolerance_;
  double first_radius_;
  bool needs_confirmation_;
  double largest_radius_;
  bool is_confirming_ = false;
};

}  // namespace thallo
