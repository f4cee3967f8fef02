#include "core/solve/minimizer.h"

#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "core/backend/half_range.h"
#include "core/base/log.h"
#include "core/base/stop_scope.h"
#include "core/kernel/state.h"
#include "core/solve/iteration_clock.h"
#include "core/solve/start_state.h"
#include "core/solve/step_length.h"
#include "core/solve/step_solver.h"
#include "core/solve/stopping_tests.h"
#include "core/solve/trial_step.h"
#include "core/solve/trust_region.h"

namespace thallo {
namespace {

// How much stricter PCG is in a step that confirms that the cost has settled.
constexpr double ConfirmingFactor = 0.1;

}  // namespace

// One solve. gauss_newton_step() and levenberg_marquardt_step() are the bodies of the loops of the
// paper's pseudo-code; the member functions they call are its steps.
class Minimizer::Loop {
 public:
  Loop(Executable& executable, const SolverOptions& options, IterationCallback callback,
       std::stop_token stop, IterationWatcher watcher)
      : executable_(executable),
        options_(suited_options(executable.program(), options)),
        callback_(std::move(callback)),
        stop_(std::move(stop)),
        watcher_(std::move(watcher)),
        summary_(start_summary(executable.program(), options)),
        step_solver_(executable.program(), options_),
        tests_(executable, options),
        vectors_(executable.buffer_type(executable.program().vector(SolverVector::R))),
        minimized_(executable.program().minimized_cost),
        keeps_best_(options.keeps_best_point() && executable.program().knows_minimized_cost),
        trust_region_(options) {}

  Expected<void> begin() {
    const IterationClock::Running running(clock_);
    executable_.reset_timing();
    if (auto started = start(); !started) return started;
    summary_.initial_cost = energy_cost_;
    summary_.initial_minimized_cost = cost_;
    IterationRecord record;
    record.cost = energy_cost_;
    record.radius = is_damped() ? trust_region_.radius() : 0;
    record.seconds = record.total_seconds = clock_.seconds();
    add(record);
    return {};
  }

  Expected<bool> step() {
    const IterationClock::Running running(clock_);
    auto more = advance();
    run_waiting();
    return more;
  }

  Expected<void> run() {
    const IterationClock::Running running(clock_);
    auto more = advance();
    while (more && *more) more = advance();
    run_waiting();
    return more ? Expected<void>{} : fail(more.error());
  }

  Expected<void> upload(const Binding& binding, std::span<const FieldId> fields) {
    const IterationClock::Running running(clock_);
    has_changed_ = true;
    for (const FieldId field : fields) {
      if (auto done = executable_.upload(binding, field); !done) return done;
    }
    return {};
  }

  Expected<void> rebind(const Binding& binding) {
    const IterationClock::Running running(clock_);
    has_changed_ = true;
    clock_.collect(executable_);
    auto bound = executable_.bind(binding);
    clock_.forget_clocks();
    return bound;
  }

  Expected<double> cost() {
    const IterationClock::Running running(clock_);
    if (auto started = start_again_if_changed(); !started) return fail(started.error());
    return energy_cost_;
  }

  SolverSummary finish() {
    if (!has_ended_) terminate(Termination::Cancelled);
    {
      const IterationClock::Running running(clock_);
      go_back();
      executable_.synchronize();
      clock_.collect(executable_);
    }
    summary_.final_cost = energy_cost_;
    summary_.final_minimized_cost = cost_;
    summary_.seconds = clock_.totals();
    summary_.times = clock_.times();
    log_.info("{}", summary_.brief());
    return std::move(summary_);
  }

 private:
  // Makes an iteration; its acceptance may wait for the next one (waiting_).
  Expected<bool> advance() {
    if (!can_continue()) return false;
    if (auto started = start_again_if_changed(); !started) return fail(started.error());
    if (cost_is_zero()) return false;
    // What takes long on the host asks in between. The point is then as it was.
    const StopScope scope(stop_, clock_.deadline(options_.max_solver_time_in_seconds));
    try {
      is_damped() ? levenberg_marquardt_step() : gauss_newton_step();
    } catch (const Stopped&) {
      if (!end_by(interruption())) throw;
    }
    return can_continue();
  }

  void gauss_newton_step() {
    linearize();
    find_step();
    if (gradient_is_small()) return;
    const int most = options_.max_step_halvings;
    const double promised = step_.promised;
    step_ = halved(
        step_, cost_, most, [this](double factor) { return trial_at(factor); },
        [this] { return interruption().has_value(); });
    const bool halved_in_vain = most > 0 && is_worse(step_, cost_);
    if (!step_.is_finite()) {
      record_step(false);
      return terminate(Termination::NonFiniteStep);
    }
    if (linear_solve_failed()) {
      return terminate(interruption().value_or(Termination::LinearSolveFailed));
    }
    if (halved_in_vain) {
      summary_.refused_decrease = promised;
      record_step(false);
      return terminate(interruption().value_or(Termination::NoDecrease));
    }
    accept();
    record_step(true);
    has_converged();
  }

  void levenberg_marquardt_step() {
    if (!is_linearized_) linearize();
    find_step();
    const double gradient_max = at(state_, StateSlot::BMax);
    if (gradient_max == 0) return terminate(Termination::ZeroGradient);
    // No amount of damping makes a step of it.
    if (!std::isfinite(gradient_max)) return terminate(Termination::LinearSolveFailed);
    if (gradient_is_small()) return;
    if (trial_is_better()) {
      step_ = lengthened(step_, options_.max_step_lengthening,
                         [this](double factor) { return trial_at(factor); });
      accept();
      record_step(true);
      if (has_converged()) return;
      const double factor = tests_.is_confirming() ? ConfirmingFactor : 1;
      set_linear_tolerances(options_, factor, vectors_, state_);
      trust_region_.enlarge(step_.relative_decrease, tests_.is_confirming());
      at(state_, StateSlot::Radius) = trust_region_.radius();
    } else {
      record_step(false);
      if (ends_by_rejection()) return;
      linear_solve_failed() ? trust_region_.shrink_for_good() : trust_region_.shrink();
      at(state_, StateSlot::Radius) = trust_region_.radius();
      if (trust_region_.has_vanished()) terminate(why_radius_vanished());
    }
  }

  // Hands the device the options, makes the masks and computes the cost at the current unknowns.
  Expected<void> start() {
    state_ = start_state(options_, vectors_);
    if (is_damped()) at(state_, StateSlot::Radius) = trust_region_.radius();
    run_batch({.before = {Phase::Setup, Phase::Values, Phase::Cost}});
    clock_.collect(executable_);
    clock_.leave_iteration();
    read_cost();
    if (std::isfinite(cost_) && std::isfinite(energy_cost_)) return {};
    return fail(
        "the cost of '{}' at the {} is {}: a residual is not finite there. Look at the {} values "
        "of the unknowns and at the inputs",
        summary_.energy, has_changed_ ? "changed data" : "start", std::abs(energy_cost_),
        has_changed_ ? "current" : "start");
  }

  // Called after the data have changed: forgets what was known of the energy before.
  Expected<void> start_again_if_changed() {
    if (!has_changed_) return {};
    if (auto started = start(); !started) return started;
    has_changed_ = false;
    is_linearized_ = has_scale_ = false;
    tests_.forget();
    trust_region_.forget_rejections();
    kept_.reset();
    summary_.changed_cost = energy_cost_;
    summary_.initial_minimized_cost = cost_;
    return {};
  }

  bool is_damped() const { return options_.solver == SolverKind::LevenbergMarquardt; }

  // Returns false, and says why, if there is no further iteration to make.
  bool can_continue() {
    if (has_ended_) return false;
    if (end_by(interruption())) return false;
    if (summary_.num_iterations < options_.num_iterations) return true;
    terminate(Termination::MaxIterations);
    return false;
  }

  // The reason to stop although there is work left: cancelled or out of time.
  std::optional<Termination> interruption() const {
    if (stop_.stop_requested() || is_stopped_) return Termination::Cancelled;
    const double limit = options_.max_solver_time_in_seconds;
    if (limit > 0 && clock_.seconds() > limit) return Termination::TimeLimit;
    return std::nullopt;
  }

  void run_batch(const Batch& batch) { state_ = executable_.run_batch(batch, state_); }
  std::vector<Phase> take_waiting() { return std::exchange(waiting_, {}); }
  // Must be called before anyone else may look at the unknowns.
  void run_waiting() {
    for (const Phase phase : take_waiting()) executable_.run(phase);
  }

  // The stored intermediates must be those of X: start() computes them there, accept() takes over
  // the trial point's.
  void linearize() {
    waiting_.push_back(Phase::Linearize);
    if (is_damped() && !std::exchange(has_scale_, true)) waiting_.push_back(Phase::SaveScale);
    is_linearized_ = true;
    found_step_ = false;
    tests_.restart_rounding_floor();
  }

  // Must be called after find_step(), which read what the linearization found.
  bool gradient_is_small() {
    summary_.final_gradient_max = at(state_, StateSlot::BMax);
    const double b = at(state_, StateSlot::RelativeBMax);
    summary_.final_gradient_cosine = b > 0 ? b / std::sqrt(2 * energy_cost_) : 0;
    return end_by(tests_.of_gradient(summary_.final_gradient_cosine, state_));
  }

  // The only place of an iteration where the host waits for the device, unless steps are halved.
  void find_step() {
    step_solver_.choose(summary_.iterations.back());
    evaluate_trial(
        step_solver_.begin(waiting_, state_, [this] { return interruption().has_value(); }));
  }

  // Runs what waits, the loop, and the trial point of the step that they find.
  void evaluate_trial(std::optional<LinearLoop> loop = {}) {
    run_batch({.before = take_waiting(),
               .loop = std::move(loop),
               .after = {Phase::Retract, Phase::TrialValues, Phase::TrialCost}});
    clock_.collect(executable_);
    step_ = TrialStep::of(state_, minimized_, cost_, step_solver_.solves_directly());
    found_step_ = found_step_ || step_.norm > 0;
  }

  // The step is zero though the gradient is not: the matrix was singular. (LM damps more and tries
  // again.)
  bool linear_solve_failed() const {
    return step_solver_.solves() && step_.norm == 0 && at(state_, StateSlot::BMax) > 0;
  }

  bool trial_is_better() const {
    return step_.is_finite() && step_.cost_change >= 0 &&
           at(state_, StateSlot::ModelDecrease) > 0 &&
           step_.relative_decrease > options_.min_relative_decrease;
  }

  void accept() {
    if (keeps_best_ && step_.cost > cost_ && !(kept_ && *kept_ <= cost_)) {
      waiting_.push_back(Phase::Keep);
      kept_ = cost_;
    }
    waiting_.push_back(Phase::Accept);
    previous_cost_ = cost_;
    cost_ = step_.cost;
    energy_cost_ = step_.energy_cost;
    is_linearized_ = false;
  }

  void read_cost() {
    cost_ = at(state_, minimized_);
    energy_cost_ = at(state_, StateSlot::Cost);
  }

  // Ends at the best point, if the solve left it.
  void go_back() {
    if (has_changed_ || !kept_ || *kept_ >= cost_) return;
    summary_.left_cost = cost_;
    std::vector<Phase> phases = take_waiting();
    phases.insert(phases.end(), {Phase::GoBack, Phase::Values, Phase::Cost});
    run_batch({.before = std::move(phases)});
    read_cost();
  }

  TrialStep trial_at(double factor) {
    at(state_, StateSlot::StepFactor) = factor;
    evaluate_trial();
    at(state_, StateSlot::StepFactor) = 1;
    return step_;
  }

  // Must be called after a step was accepted.
  bool has_converged() {
    return cost_is_zero() || end_by(tests_.of_settled_cost(step_, previous_cost_)) ||
           end_by(tests_.of_step(step_, state_));
  }

  bool cost_is_zero() {
    return end_by(tests_.of_zero_cost(cost_, summary_.initial_minimized_cost, state_));
  }

  bool ends_by_rejection() {
    if (!end_by(tests_.of_rejected_step(step_, cost_, state_))) return false;
    if (summary_.termination == Termination::RoundingFloor)
      summary_.cause = tests_.rounding_floor_text();
    return true;
  }

  // Called when the radius has fallen below its minimum. The reason is a trial point that is not
  // finite, a matrix that gave no step at any radius, or else that there is no better point. (Of
  // steps the last says nothing: extreme damping makes every step zero.)
  Termination why_radius_vanished() const {
    if (!step_.is_finite()) return Termination::NonFiniteStep;
    return linear_solve_failed() && !found_step_ ? Termination::LinearSolveFailed
                                                 : Termination::MinTrustRegionRadius;
  }

  void record_step(bool accepted) {
    IterationRecord record = record_of(step_, state_);
    record.loose = step_solver_.is_loose();
    record.iteration = summary_.num_iterations + 1;
    record.cost = energy_cost_;
    record.radius = is_damped() ? trust_region_.radius() : 0;
    record.accepted = accepted;
    record.total_seconds = clock_.seconds();
    record.seconds = record.total_seconds - summary_.iterations.back().total_seconds;
    clock_.end_iteration(record.seconds);
    add(record);
  }

  void add(const IterationRecord& record) {
    summary_.add(record);
    if (log_.enabled(LogLevel::Debug))
      log_.debug("{}", iteration_table_row(options_.solver, record));
    if (watcher_) watcher_(record);
    if (!callback_) return;
    run_waiting();
    is_stopped_ = callback_(record) == AfterIteration::Stop;
  }

  bool end_by(std::optional<Termination> why) {
    if (why) terminate(*why);
    return why.has_value();
  }

  void terminate(Termination why) {
    has_ended_ = true;
    summary_.termination = why;
    // When the last linearization gave no step, a product that overflows its halves may be why.
    const bool has_step = step_.is_finite() && step_.norm > 0;
    const bool was_interrupted = why == Termination::Cancelled || why == Termination::TimeLimit;
    if (!is_linearized_ || has_step || was_interrupted || is_convergence(why)) return;
    if (const auto overflow = find_half_overflow(executable_)) {
      summary_.termination = Termination::HalfOverflow;
      summary_.cause = overflow->text();
    }
  }

  const Logger& log_ = logger("solve");
  Executable& executable_;
  SolverOptions options_;
  IterationCallback callback_;
  std::stop_token stop_;
  IterationWatcher watcher_;
  IterationClock clock_;
  SolverSummary summary_;
  bool is_stopped_ = false;   // true if the callback wants no further iteration
  bool has_ended_ = false;    // true if the termination is known
  bool has_changed_ = false;  // true if data were uploaded since the last start()

  // As last read, with what the host has changed since; the next batch writes it.
  SolverState state_{};
  // Phases that begin the next batch. Between iterations it is the acceptance of the step.
  std::vector<Phase> waiting_;
  double cost_ = 0;         // what steps minimize, at X
  double energy_cost_ = 0;  // 1/2 sum rho at X
  double previous_cost_ = 0;
  bool is_linearized_ = false;  // at X
  bool has_scale_ = false;
  bool found_step_ = false;  // has a step since the linearization been other than zero?

  StepSolver step_solver_;
  StoppingTests tests_;
  ScalarType vectors_;  // of PCG
  StateSlot minimized_;
  bool keeps_best_;
  std::optional<double> kept_;  // what steps minimize at the kept point
  TrialStep step_;              // the last one
  TrustRegion trust_region_;    // of Levenberg-Marquardt
};

Expected<Minimizer> Minimizer::begin(Executable& executable, const SolverOptions& options,
                                     IterationCallback callback, std::stop_token stop,
                                     IterationWatcher watcher) {
  if (auto valid = options.validate(); !valid) return fail(valid.error());
  auto loop = std::make_unique<Loop>(executable, options, std::move(callback), std::move(stop),
                                     std::move(watcher));
  if (auto begun = loop->begin(); !begun) return fail(begun.error());
  return Minimizer(std::move(loop));
}

Minimizer::Minimizer(std::unique_ptr<Loop> loop) : loop_(std::move(loop)) {}
Minimizer::Minimizer(Minimizer&&) noexcept = default;
Minimizer& Minimizer::operator=(Minimizer&&) noexcept = default;
Minimizer::~Minimizer() = default;

Expected<bool> Minimizer::step() { return loop_->step(); }
Expected<void> Minimizer::run() { return loop_->run(); }
Expected<void> Minimizer::upload(const Binding& binding, std::span<const FieldId> fields) {
  return loop_->upload(binding, fields);
}
Expected<void> Minimizer::rebind(const Binding& binding) { return loop_->rebind(binding); }
Expected<double> Minimizer::cost() { return loop_->cost(); }
SolverSummary Minimizer::finish() { return loop_->finish(); }

}  // namespace thallo
