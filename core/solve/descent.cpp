#include "core/solve/descent.h"

#include <cmath>
#include <utility>

namespace thallo {
namespace {

// How much stricter PCG is in a step that confirms that the cost has settled.
constexpr double ConfirmingFactor = 0.1;
// How often LM halves a step that bounds have cut. Then it is damped more.
constexpr int MostHalvings = 10;
// From which relative decrease on LM makes a step longer.
constexpr double LeastToLengthen = 1.25;

bool is_worse(const TrialStep& step, double cost) { return !step.is_finite() || step.cost > cost; }

// Returns by how much to lengthen a step that lowered the cost by much more than the model
// promised, up to `most` times; nothing for others. The model, which drops second derivatives,
// overestimates the curvature along it, and does so step after step with robust losses. The factor
// is that of the lowest point of the parabola through both costs (docs/algorithms.md).
std::optional<double> longer_step(const TrialStep& step, double most) {
  if (step.relative_decrease < LeastToLengthen || most == 1) return {};
  const double slope = 2 * step.promised - step.damped_norm2;  // delta.b
  const double curvature = 2 * (slope - step.cost_change);
  return curvature * most > slope ? slope / curvature : most;
}

}  // namespace

Descent::Descent(const DescentRules& rules, const IterationOptions& asked,
                 const IterationOptions& suited)
    : rules_(&rules), tests_(rules.program.has_double_b, asked), trust_region_(suited) {}

Termination Descent::interruption_or(Termination otherwise) const {
  return rules_->is_interrupted ? rules_->interruption : otherwise;
}

bool Descent::start(SolverState& state) {
  if (rules_->is_damped) at(state, StateSlot::Radius) = trust_region_.radius();
  read_cost(state);
  initial_cost_ = cost_;
  if (!std::exchange(has_started_, true)) {
    initial_energy_cost_ = energy_cost_;
    record_ = {.cost = energy_cost_, .radius = rules_->is_damped ? trust_region_.radius() : 0};
  }
  return std::isfinite(cost_) && std::isfinite(energy_cost_);
}

void Descent::forget() {
  is_linearized_ = false;
  tests_.forget();
  trust_region_.forget_rejections();
  kept_ = NoneKept;
}

void Descent::begin_iteration(const SolverState& state) {
  outcome_ = Step::None;
  leaves_best_ = false;
  factor_ = 1;
  num_halvings_ = 0;
  has_once_ = false;
  cost_is_zero(state);
}

void Descent::linearize() {
  is_linearized_ = true;
  found_step_ = false;
  tests_.restart_rounding_floor();
}

std::optional<double> Descent::look(SolverState& state) {
  step_ = TrialStep::of(state, rules_->program, cost_, rules_->solves_directly);
  found_step_ = found_step_ || step_.norm > 0;
  const std::optional<double> next = rules_->is_damped ? look_damped(state) : look_undamped(state);
  factor_ = next.value_or(1);
  at(state, StateSlot::StepFactor) = factor_;
  return next;
}

std::optional<double> Descent::look_undamped(SolverState& state) {
  const int most = rules_->max_step_halvings;
  if (num_halvings_ == 0) {
    if (gradient_is_small(state)) return {};
    has_once_ = true;
    once_ = step_;
  }
  if (num_halvings_ < most && is_worse(step_, cost_) && !rules_->is_interrupted) {
    ++num_halvings_;
    return factor_ / 2;
  }
  if (!step_.is_finite()) {
    record_step(state, Step::Rejected);
    end(Termination::NonFiniteStep);
  } else if (linear_solve_failed(state)) {
    end(interruption_or(Termination::LinearSolveFailed));
  } else if (most > 0 && is_worse(step_, cost_)) {
    refused_decrease_ = once_.promised;
    record_step(state, Step::Rejected);
    end(interruption_or(Termination::NoDecrease));
  } else {
    accept(state);
    has_converged(state);
  }
  return {};
}

std::optional<double> Descent::look_damped(SolverState& state) {
  if (!has_once_) {
    const double gradient_max = at(state, StateSlot::BMax);
    if (gradient_max == 0) {
      end(Termination::ZeroGradient);
      return {};
    }
    // No amount of damping makes a step of it.
    if (!std::isfinite(gradient_max)) {
      end(Termination::LinearSolveFailed);
      return {};
    }
    if (gradient_is_small(state)) return {};
    if (!is_better(state)) {
      // What bounds have made of a step may be shorter without a new linear solve.
      if (step_.is_cut && num_halvings_ < MostHalvings && !rules_->is_interrupted) {
        ++num_halvings_;
        return factor_ / 2;
      }
      reject(state);
      return {};
    }
    has_once_ = true;
    once_ = step_;
    const double most = rules_->max_step_lengthening;
    const auto longer = factor_ == 1 ? longer_step(step_, most) : std::nullopt;
    if (longer) return longer;
  } else if (factor_ > 1 && is_worse(step_, once_.cost)) {
    return 1;  // the step as it was
  }
  step_.relative_decrease = once_.relative_decrease;  // the radius follows that of the whole step
  accept(state);
  if (has_converged(state)) return {};
  const double factor = tests_.is_confirming() ? ConfirmingFactor : 1;
  rules_->linear_tolerances.write(factor, state);
  trust_region_.enlarge(step_, tests_.is_confirming());
  at(state, StateSlot::Radius) = trust_region_.radius();
  return {};
}

// Must be called with the state that a step from the linearization has left.
bool Descent::gradient_is_small(const SolverState& state) {
  gradient_max_ = at(state, StateSlot::BMax);
  const double b = at(state, StateSlot::RelativeBMax);
  gradient_cosine_ = b > 0 ? b / std::sqrt(2 * energy_cost_) : 0;
  return end_by(tests_.of_gradient(gradient_cosine_, state));
}

// The step is zero though the gradient is not: the matrix was singular. (LM damps more and tries
// again.)
bool Descent::linear_solve_failed(const SolverState& state) const {
  return rules_->solves && step_.norm == 0 && !step_.is_cut && at(state, StateSlot::BMax) > 0;
}

bool Descent::is_better(const SolverState& state) const {
  return step_.is_finite() && step_.cost_change >= 0 && at(state, StateSlot::ModelDecrease) > 0 &&
         step_.relative_decrease > rules_->min_relative_decrease;
}

void Descent::accept(const SolverState& state) {
  leaves_best_ = rules_->keeps_best_point && step_.cost > cost_ && !(kept_ <= cost_);
  if (leaves_best_) kept_ = cost_;
  previous_cost_ = cost_;
  cost_ = step_.cost;
  energy_cost_ = step_.energy_cost;
  is_linearized_ = false;
  record_step(state, Step::Accepted);
}

void Descent::reject(SolverState& state) {
  record_step(state, Step::Rejected);
  if (ends_by_rejection(state)) return;
  linear_solve_failed(state) ? trust_region_.shrink_for_good() : trust_region_.shrink();
  at(state, StateSlot::Radius) = trust_region_.radius();
  if (trust_region_.has_vanished()) end(why_radius_vanished(state));
}

void Descent::record_step(const SolverState& state, Step outcome) {
  outcome_ = outcome;
  record_ = record_of(step_, state);
  record_.iteration = ++num_iterations_;
  record_.loose = rules_->is_loose;
  record_.cost = energy_cost_;
  record_.radius = rules_->is_damped ? trust_region_.radius() : 0;
  record_.accepted = outcome == Step::Accepted;
  if (record_.accepted) ++num_accepted_;
}

// Must be called after a step was accepted.
bool Descent::has_converged(const SolverState& state) {
  return cost_is_zero(state) || end_by(tests_.of_settled_cost(step_, previous_cost_)) ||
         end_by(tests_.of_step(step_, state));
}

bool Descent::cost_is_zero(const SolverState& state) {
  return end_by(tests_.of_zero_cost(cost_, initial_cost_, state));
}

bool Descent::ends_by_rejection(const SolverState& state) {
  return end_by(tests_.of_rejected_step(step_, cost_, state));
}

// Called when the radius has fallen below its minimum. The reason is a trial point that is not
// finite, a matrix that gave no step at any radius, or else that there is no better point. (Of
// steps the last says nothing: extreme damping makes every step zero.)
Termination Descent::why_radius_vanished(const SolverState& state) const {
  if (!step_.is_finite()) return Termination::NonFiniteStep;
  return linear_solve_failed(state) && !found_step_ ? Termination::LinearSolveFailed
                                                    : Termination::MinTrustRegionRadius;
}

bool Descent::end_by(std::optional<Termination> why) {
  if (why) end(*why);
  return why.has_value();
}

void Descent::read_cost(const SolverState& state) {
  cost_ = at(state, rules_->program.minimized_cost);
  energy_cost_ = at(state, StateSlot::Cost);
}

}  // namespace thallo
