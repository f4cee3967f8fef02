// The test of function_tolerance. A damped step that PCG found says little by itself when the cost
// settles: the step may be short because PCG stopped early, or because of the damping. The next
// step, with a larger radius and a stricter PCG, has to confirm it. And where steps change the cost
// by much else than the model promised, what is left shrinks by a fixed fraction a step, as with
// robust losses: then a tenth of the tolerance counts.
#pragma once

#include <optional>

#include "core/solve/options.h"

namespace thallo {

class SettledCost {
 public:
  // `solves_directly`: the linear solver leaves nothing unsolved, so that no step needs to confirm.
  SettledCost(const SolverOptions& options, bool solves_directly);

  // Must be called after every accepted step. `change` is the change of the cost, `before` the cost
  // before the step, `relative_decrease` the change over the one that was promised. Returns true if
  // the test is met, and confirmed where that is needed.
  bool is_reached_by(double change, double before, double relative_decrease);
  // Must be called after a rejected step, at the cost that it started from. Returns true if the
  // step was to confirm and agrees: it neither promised nor did more than is tolerated.
  bool is_confirmed_by_rejection(double change, double promised, double cost) const;

  // True if the next step is to confirm that the cost has settled.
  bool is_confirming() const { return is_confirming_; }
  void forget() { is_confirming_ = false; }

 private:
  std::optional<double> tolerance_;
  bool needs_confirmation_;
  bool is_confirming_ = false;
};

}  // namespace thallo
