// The tests that end a solve before its limits: of the gradient, of the cost and of the step
// (docs/algorithms.md, "Outer stopping tests").
#pragma once

#include <optional>
#include <string>

#include "core/backend/backend.h"
#include "core/kernel/state.h"
#include "core/solve/options.h"
#include "core/solve/rounding_floor.h"
#include "core/solve/settled_cost.h"
#include "core/solve/summary.h"
#include "core/solve/trial_step.h"
#include "core/solve/zero_cost.h"

namespace thallo {

// `cost` is what steps minimize at X, `state` that after the last step. The tests return why the
// solve ends, or nothing.
class StoppingTests {
 public:
  // `solves_directly`: the linear solver takes a matrix.
  StoppingTests(const Executable& executable, const SolverOptions& options, bool solves_directly)
      : options_(options), zero_cost_(executable), settled_cost_(options, solves_directly) {}

  // Of the gradient at X, once a step from there was computed: of the largest cosine of a column of
  // J and the residuals.
  std::optional<Termination> of_gradient(double cosine, const SolverState& state) const;
  // `first_cost` is the cost at the start, or when the data changed last.
  std::optional<Termination> of_zero_cost(double cost, double first_cost,
                                          const SolverState& state) const;
  // After an accepted step from the cost `before`.
  std::optional<Termination> of_settled_cost(const TrialStep& step, double before);
  std::optional<Termination> of_step(const TrialStep& step, const SolverState& state) const;
  // After a rejected step: it confirms that the cost has settled, or rounding hides what it does.
  std::optional<Termination> of_rejected_step(const TrialStep& step, double cost,
                                              const SolverState& state);

  // True if the next step is to confirm that the cost has settled.
  bool is_confirming() const { return settled_cost_.is_confirming(); }
  // Must be called at each linearization.
  void restart_rounding_floor() { rounding_floor_.restart(); }
  std::string rounding_floor_text() const { return rounding_floor_.text(); }
  // Forgets what is known of the cost: the data have changed.
  void forget() { settled_cost_.forget(); }

 private:
  SolverOptions options_;
  ZeroCost zero_cost_;
  SettledCost settled_cost_;
  RoundingFloor rounding_floor_;
};

}  // namespace thallo
