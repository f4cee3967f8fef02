#include "core/solve/solver.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "core/backend/half_range.h"
#include "core/base/error.h"
#include "core/base/log.h"
#include "core/kernel/lower.h"
#include "core/kernel/state.h"
#include "core/solve/rounding_floor.h"
#include "core/solve/start_state.h"

namespace thallo {
namespace {

constexpr double Infinity = std::numeric_limits<double>::infinity();

// How much stricter PCG is in a step that confirms that the cost has settled.
constexpr double ConfirmingFactor = 0.1;

class Stopwatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// One solve. The two loops, gauss_newton() and levenberg_marquardt(), read as the pseudo-code of
// the paper; the member functions they call are its steps.
class Minimizer {
 public:
  Minimizer(Executable& executable, const SolverOptions& options, const IterationCallback& callback,
            std::stop_token stop)
      : executable_(executable), options_(options), callback_(callback), stop_(std::move(stop)) {
    summary_.energy = executable.program().name;
    summary_.options = options;
    summary_.solved_directly = executable.program().solves_directly();
    const bool halves_steps =
        options.solver == SolverKind::GaussNewton && options.max_step_halvings > 0;
    THALLO_ASSERT(!halves_steps || executable.program().scales_steps,
                  "max_step_halvings {} needs a program made with ProgramOptions::scales_steps",
                  options.max_step_halvings);
    if (options.preconditioner == PreconditionerKind::BlockJacobi && !summary_.solved_directly) {
      for (const FieldId unknown : unknowns_without_block(executable.program()))
        summary_.unknowns_without_block.push_back(executable.program().field(unknown).name);
    }
  }

  Expected<SolverSummary> minimize() {
    if (auto started = start(); !started) return fail(started.error());
    if (options_.solver == SolverKind::GaussNewton) {
      gauss_newton();
    } else {
      levenberg_marquardt();
    }
    return finish();
  }

 private:
  void gauss_newton() {
    while (can_continue()) {
      linearize();
      if (gradient_is_small()) return;
      executable_.run(Phase::Damp);
      solve_linear();
      evaluate_trial();
      const bool halved_in_vain = options_.max_step_halvings > 0 && !halve_while_worse();
      if (!trial_is_finite()) {
        record_step(false);
        return terminate(Termination::NonFiniteStep);
      }
      if (linear_solve_failed()) {
        return terminate(interruption().value_or(Termination::LinearSolveFailed));
      }
      if (halved_in_vain) {
        record_step(false);
        return terminate(Termination::NoDecrease);
      }
      accept();
      record_step(true);
      if (cost_has_settled() || step_is_small()) return;
    }
  }

  void levenberg_marquardt() {
    while (can_continue()) {
      if (!is_linearized_) {
        linearize();
        if (gradient_is_small()) return;
      }
      executable_.run(Phase::Damp);
      solve_linear();
      evaluate_trial();
      if (at(state_, StateSlot::BMax) == 0) return terminate(Termination::ZeroGradient);
      if (!gradient_is_finite()) return terminate(Termination::LinearSolveFailed);
      if (trial_is_better()) {
        accept();
        record_step(true);
        if (cost_has_settled() || step_is_small()) return;
        set_linear_tolerances(options_, is_confirming_ ? ConfirmingFactor : 1, state_);
        enlarge_radius();
      } else {
        record_step(false);
        if (trial_is_finite() && step_is_small()) return;
        if (confirms_by_rejection() || rounding_hides_decrease()) return;
        shrink_radius();
        if (radius_ < options_.min_trust_region_radius) {
          return terminate(why_radius_vanished());
        }
      }
    }
  }

  // Hands the device the options, makes the masks and computes the cost at the start.
  Expected<void> start() {
    executable_.reset_timing();
    const bool damped = options_.solver == SolverKind::LevenbergMarquardt;
    radius_ = options_.trust_region_radius;
    decrease_factor_ = options_.radius_decrease_factor;
    state_ = start_state(options_);
    executable_.write_state(state_);

    executable_.run(Phase::Setup);
    executable_.run(Phase::Values);
    executable_.run(Phase::Cost);
    state_ = executable_.read_state();
    cost_ = at(state_, StateSlot::Cost);
    if (!std::isfinite(cost_)) {
      return fail(
          "the cost of '{}' at the start is {}: a residual is not finite there. Look at the start "
          "values of the unknowns and at the inputs",
          summary_.energy, cost_);
    }
    summary_.initial_cost = cost_;
    IterationRecord record;
    record.cost = cost_;
    record.radius = damped ? radius_ : 0;
    record.seconds = record.total_seconds = stopwatch_.seconds();
    add(record);
    return {};
  }

  bool can_continue() {
    if (const auto why = interruption()) {
      terminate(*why);
      return false;
    }
    if (summary_.num_iterations < options_.num_iterations) return true;
    terminate(Termination::MaxIterations);
    return false;
  }

  // The reason to stop although there is work left: cancelled or out of time.
  std::optional<Termination> interruption() const {
    if (stop_.stop_requested()) return Termination::Cancelled;
    const double limit = options_.max_solver_time_in_seconds;
    if (limit > 0 && stopwatch_.seconds() > limit) return Termination::TimeLimit;
    return std::nullopt;
  }

  // The stored intermediates must be those of X: start() computes them there, accept() takes over
  // the trial point's.
  void linearize() {
    executable_.run(Phase::Linearize);
    if (options_.solver == SolverKind::LevenbergMarquardt && !has_scale_) {
      executable_.run(Phase::SaveScale);
      has_scale_ = true;
    }
    is_linearized_ = true;
    found_step_ = false;
    rounding_floor_.restart();
  }

  // Reads the state, which waits for the device, only when gradient_tolerance is set.
  bool gradient_is_small() {
    if (options_.gradient_tolerance == 0) return false;
    state_ = executable_.read_state();
    summary_.final_gradient_max = at(state_, StateSlot::BMax);
    if (at(state_, StateSlot::BMax) > options_.gradient_tolerance) return false;
    terminate(Termination::GradientTolerance);
    return true;
  }

  void solve_linear() {
    if (summary_.solved_directly) {
      executable_.run(Phase::DirectSolve);
    } else if (options_.num_linear_iterations > 0) {
      executable_.run_linear_loop({options_.num_linear_iterations, reset_period(options_),
                                   [this] { return interruption().has_value(); }});
    }
  }

  // The only place of an iteration where the host waits for the device, unless gradient_tolerance
  // is set or steps are halved.
  void evaluate_trial() {
    executable_.run(Phase::Retract);
    executable_.run(Phase::TrialValues);
    executable_.run(Phase::TrialCost);
    state_ = executable_.read_state();
    trial_cost_ = at(state_, StateSlot::Cost);
    step_norm_ = std::sqrt(at(state_, StateSlot::StepNorm2));
    if (trial_is_finite()) {
      cost_change_ = cost_ - trial_cost_;
      const double promised = at(state_, StateSlot::ModelDecrease);
      relative_decrease_ = promised > 0 ? cost_change_ / promised : 0;
    } else {
      step_norm_ = Infinity;
      cost_change_ = relative_decrease_ = -Infinity;
    }
    found_step_ = found_step_ || step_norm_ > 0;
  }

  // From a gradient that is not finite no amount of damping makes a step.
  bool gradient_is_finite() const { return std::isfinite(at(state_, StateSlot::BMax)); }

  bool trial_is_finite() const { return std::isfinite(trial_cost_) && std::isfinite(step_norm_); }

  // The step is zero though the gradient is not: the matrix was singular. (LM damps more and tries
  // again.)
  bool linear_solve_failed() const {
    const bool asked = summary_.solved_directly || options_.num_linear_iterations > 0;
    return asked && step_norm_ == 0 && at(state_, StateSlot::BMax) > 0;
  }

  bool trial_is_better() const {
    return trial_is_finite() && cost_change_ >= 0 && at(state_, StateSlot::ModelDecrease) > 0 &&
           relative_decrease_ > options_.min_relative_decrease;
  }

  void accept() {
    executable_.run(Phase::Accept);
    previous_cost_ = cost_;
    cost_ = trial_cost_;
    is_linearized_ = false;
  }

  // Halves the step of Gauss-Newton for as long as it raises the cost. Returns false if the last
  // half that is allowed raises it still.
  bool halve_while_worse() {
    const auto is_worse = [this] { return !trial_is_finite() || trial_cost_ > cost_; };
    double factor = 1;
    for (int i = 0; i < options_.max_step_halvings && is_worse() && !interruption(); ++i) {
      factor /= 2;
      at(state_, StateSlot::Radius) = factor;
      executable_.write_state(state_);
      evaluate_trial();
    }
    at(state_, StateSlot::Radius) = 1;
    if (factor < 1) executable_.write_state(state_);
    return !is_worse();
  }

  // Of a damped step that PCG found, a settled cost says little by itself: the step may be short
  // because PCG stopped early, or because of the damping. The next one, with a larger radius and a
  // stricter PCG, has to agree.
  bool cost_has_settled() {
    const auto tolerance = options_.effective_function_tolerance();
    const bool has_settled = tolerance && std::abs(cost_change_) <= *tolerance * previous_cost_;
    const bool was_confirming = std::exchange(is_confirming_, has_settled && needs_confirmation());
    if (!has_settled || (is_confirming_ && !was_confirming)) return false;
    terminate(Termination::FunctionTolerance);
    return true;
  }

  // A confirming step that is rejected agrees when it neither promised nor did more than tolerated.
  bool confirms_by_rejection() {
    const double most = options_.effective_function_tolerance().value_or(0) * cost_;
    if (!is_confirming_ || !(std::abs(cost_change_) <= most) ||
        !(at(state_, StateSlot::ModelDecrease) <= most)) {
      return false;
    }
    terminate(Termination::FunctionTolerance);
    return true;
  }

  bool needs_confirmation() const {
    return options_.solver == SolverKind::LevenbergMarquardt && !summary_.solved_directly &&
           options_.pcg_has_test();
  }

  bool rounding_hides_decrease() {
    const double promised = at(state_, StateSlot::ModelDecrease);
    if (!rounding_floor_.is_reached_by(promised, cost_change_, cost_)) return false;
    terminate(Termination::RoundingFloor);
    summary_.cause = rounding_floor_.text();
    return true;
  }

  bool step_is_small() {
    const double tolerance = options_.parameter_tolerance;
    if (tolerance == 0 || step_norm_ == 0) return false;  // 0: no step was found
    const double x_norm = std::sqrt(at(state_, StateSlot::XNorm2));
    if (step_norm_ > tolerance * (x_norm + tolerance)) return false;
    terminate(Termination::ParameterTolerance);
    return true;
  }

  void enlarge_radius() {
    const double trust = 1 - std::pow(2 * relative_decrease_ - 1, 3);
    decrease_factor_ = options_.radius_decrease_factor;
    set_radius(std::min(options_.max_trust_region_radius, radius_ / std::max(1.0 / 3.0, trust)));
  }

  void shrink_radius() {
    const double factor = decrease_factor_;
    decrease_factor_ *= 2;
    set_radius(radius_ / factor);
  }

  // Called when the radius has fallen below its minimum, so more and more damping made no step
  // better. The reason is a trial point that is not finite, a matrix that gave no step at any
  // radius, or else that there is no better point. (found_step_ covers all steps since the
  // linearization: the last one alone says nothing, as extreme damping makes every step zero.)
  Termination why_radius_vanished() const {
    if (!trial_is_finite()) return Termination::NonFiniteStep;
    return linear_solve_failed() && !found_step_ ? Termination::LinearSolveFailed
                                                 : Termination::MinTrustRegionRadius;
  }

  void set_radius(double radius) {
    radius_ = radius;
    at(state_, StateSlot::Radius) = radius;
    executable_.write_state(state_);
  }

  void record_step(bool accepted) {
    IterationRecord record;
    record.iteration = ++summary_.num_iterations;
    record.cost = cost_;
    record.cost_change = cost_change_;
    record.gradient_max = at(state_, StateSlot::BMax);
    record.step_norm = step_norm_;
    record.relative_decrease = relative_decrease_;
    record.radius = options_.solver == SolverKind::LevenbergMarquardt ? radius_ : 0;
    record.linear_iterations =
        summary_.solved_directly ? 1 : static_cast<int>(at(state_, StateSlot::LinearIteration));
    record.failed_blocks = static_cast<int>(at(state_, StateSlot::FailedBlocks));
    record.accepted = accepted;
    record.total_seconds = stopwatch_.seconds();
    record.seconds = record.total_seconds - summary_.iterations.back().total_seconds;
    (accepted ? summary_.num_accepted : summary_.num_rejected) += 1;
    summary_.num_linear_iterations += record.linear_iterations;
    summary_.num_failed_blocks += record.failed_blocks;
    summary_.final_gradient_max = record.gradient_max;
    add(record);
  }

  void add(const IterationRecord& record) {
    summary_.iterations.push_back(record);
    logger("solve").debug("{}", iteration_table_row(options_.solver, record));
    if (callback_) callback_(record);
  }

  void terminate(Termination why) {
    summary_.termination = why;
    // When the last linearization gave no step, a product that overflows its halves may be why.
    const bool has_step = trial_is_finite() && step_norm_ > 0;
    const bool was_interrupted = why == Termination::Cancelled || why == Termination::TimeLimit;
    if (!is_linearized_ || has_step || was_interrupted || is_convergence(why)) return;
    if (const auto overflow = find_half_overflow(executable_)) {
      summary_.termination = Termination::HalfOverflow;
      summary_.cause = overflow->text();
    }
  }

  SolverSummary finish() {
    executable_.synchronize();
    summary_.final_cost = cost_;
    for (const PhaseTiming& timing : executable_.timing()) {
      bucket(timing.phase) += timing.seconds;
    }
    summary_.seconds.total = stopwatch_.seconds();
    logger("solve").info("{}", summary_.brief());
    return std::move(summary_);
  }

  double& bucket(Phase phase) {
    SolverSeconds& seconds = summary_.seconds;
    switch (phase) {
      case Phase::Setup:
      case Phase::Values:
      case Phase::Linearize:
      case Phase::SaveScale: return seconds.linearize;
      case Phase::Damp:
      case Phase::Direction:
      case Phase::Apply:
      case Phase::Update:
      case Phase::ResetDirection:
      case Phase::ResetApply:
      case Phase::ResetUpdate:
      case Phase::DirectSolve: return seconds.linear;
      case Phase::TrialValues:
      case Phase::Cost:
      case Phase::TrialCost: return seconds.cost;
      case Phase::Retract:
      case Phase::Accept: return seconds.update;
    }
    THALLO_UNREACHABLE();
  }

  Executable& executable_;
  const SolverOptions& options_;
  const IterationCallback& callback_;
  std::stop_token stop_;
  Stopwatch stopwatch_;
  SolverSummary summary_;

  SolverState state_{};  // as last read or written
  double cost_ = 0;      // at X
  double previous_cost_ = 0;
  bool is_linearized_ = false;  // at X
  bool has_scale_ = false;
  bool found_step_ = false;  // has a step since the linearization been other than zero?

  bool is_confirming_ = false;  // did the last step settle the cost, to be confirmed by the next?
  RoundingFloor rounding_floor_;

  // The last step.
  double trial_cost_ = 0;
  double cost_change_ = 0;
  double relative_decrease_ = 0;
  double step_norm_ = 0;

  // Levenberg-Marquardt.
  double radius_ = 0;
  double decrease_factor_ = 0;
};

}  // namespace

Expected<SolverSummary> solve(Executable& executable, const SolverOptions& options,
                              const IterationCallback& callback, std::stop_token stop) {
  if (auto valid = options.validate(); !valid) return fail(valid.error());
  return Minimizer(executable, options, callback, std::move(stop)).minimize();
}

}  // namespace thallo
