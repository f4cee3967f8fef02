// The tests that end a solve before its limits: of the gradient, of the cost and of the step
// (docs/algorithms.md, "Outer stopping tests").
#pragma once

#include <optional>
#include <string>

#include "core/kernel/state.h"
#include "core/solve/iteration_options.h"
#include "core/solve/termination.h"
#include "core/solve/trial_step.h"

namespace thallo {

// The test whether a cost is zero as far as rounding lets anyone tell: a fit without noise ends
// there. Relative changes of such a cost say nothing: every step changes it by much of itself.
//
// A residual that should be zero is about as large as rounding makes the terms that cancel in it.
// How large these are is known of what X moves, X.d X, and of the residuals at the start.
class ZeroCost {
 public:
  explicit ZeroCost(bool has_double_residuals);

  // `first_cost` is that at the start of the solve, or when the data changed last; `state` that
  // after the last Retract, zero before the first.
  bool is_reached_by(double cost, double first_cost, const SolverState& state) const;

 private:
  double rounding_;  // of a number, relative to it
};

// The test of function_tolerance. A step says little by itself when the cost settles if it may be
// short because PCG stopped early, because it met a bound, or because of a damping that no rejected
// step has asked for: the next step, with a larger radius and a stricter PCG, has to confirm it.
// And where steps change the cost by much else than the model promised, what is left shrinks by a
// fixed fraction a step, as with robust losses: then a tenth of the tolerance counts.
class SettledCost {
 public:
  explicit SettledCost(const IterationOptions& options);

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
  // True if PCG may have stopped early, or a bound or damping made the step short: the next has to
  // confirm it.
  bool is_doubtful(const TrialStep& step) const;
  // True if damping that no rejected step asked for made the step short, or may hide that it did:
  // it was small on the whole, but the model is exact, and a larger radius costs nothing.
  bool may_be_short_by_damping(const TrialStep& step) const;

  bool has_tolerance_;
  double tolerance_;  // 0 if there is none
  double first_radius_;
  bool pcg_ends_early_;
  double largest_radius_;
  bool is_confirming_ = false;
};

// Detects when rounding errors hide whether steps lower the cost. Where the cost is smooth, the
// change of a step shrinks with the decrease that the model promises, even if the gradient is
// wrong. If steps from one point promise less and less but change the cost as much as before, the
// change is rounding, and no trust region radius finds a better point.
class RoundingFloor {
 public:
  // Must be called when the next steps start from another point.
  void restart() { num_rejections_ = 0; }

  // Records a finite step that was rejected: the decrease that the model promised, the change of
  // the cost, and the cost before. Returns true if an earlier step from the same point promised a
  // hundred times as much and changed the cost by at most ten times as much.
  bool is_reached_by(double promised, double change, double cost);

  // Describes what was seen when the floor was reached (descent_report.cpp).
  std::string text() const;

 private:
  struct Rejection {
    double promised;  // relative to the cost
    double changed;   // magnitude, relative to the cost
  };
  // Those since the last restart, or the last so many. As each radius is a smaller part of the one
  // before, it vanishes after fewer.
  static constexpr int Most = 16;
  Rejection rejections_[Most] = {};
  Rejection last_ = {};
  double most_promised_ = 0;
  int num_rejections_ = 0;
};

// `cost` is what steps minimize at X, `state` that after the last step. The tests return why the
// solve ends, or nothing.
class StoppingTests {
 public:
  StoppingTests(bool has_double_residuals, const IterationOptions& options)
      : gradient_tolerance_(options.gradient_tolerance),
        parameter_tolerance_(options.parameter_tolerance),
        has_test_(options.has_test()),
        zero_cost_(has_double_residuals),
        settled_cost_(options) {}

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
  std::string rounding_floor_text() const;
  // Forgets what is known of the cost: the data have changed.
  void forget() { settled_cost_.forget(); }

 private:
  double gradient_tolerance_, parameter_tolerance_;
  bool has_test_;
  ZeroCost zero_cost_;
  SettledCost settled_cost_;
  RoundingFloor rounding_floor_;
};

}  // namespace thallo
