#include "core/solve/minimizer.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/backend/half_range.h"
#include "core/base/error.h"
#include "core/base/log.h"
#include "core/base/stop_scope.h"
#include "core/kernel/state.h"
#include "core/solve/descent.h"
#include "core/solve/iteration_clock.h"
#include "core/solve/start_state.h"
#include "core/solve/step_solver.h"

namespace thallo {

// One solve: runs the phases that its descent asks for. Those of a batch make their iterations side
// by side. Each phase runs for all of them at once, and the states say which take part.
class Minimizer::Loop {
 public:
  Loop(Executable& executable, const SolverOptions& options, IterationCallback callback,
       std::stop_token stop, IterationWatcher watcher)
      : executable_(executable),
        is_batch_(executable.program().has_members()),
        options_(suited_options(executable.program(), options)),
        callback_(std::move(callback)),
        stop_(std::move(stop)),
        watcher_(std::move(watcher)),
        summary_(start_summary(executable.program(), options)),
        step_solver_(executable.program(), options_),
        rules_{
            .asked = summary_.options,
            .options = options_,
            .step_solver = step_solver_,
            .vectors = executable.buffer_type(executable.program().vector(SolverVector::R)),
            .minimized = executable.program().minimized_cost,
            .keeps_best = options.keeps_best_point() && executable.program().knows_minimized_cost,
            .interruption = [this] { return interruption(); }} {}

  Expected<void> begin() {
    const IterationClock::Running running(clock_);
    executable_.reset_timing();
    descents_.assign(executable_.num_states(), Descent(executable_, rules_));
    if (auto started = start(); !started) return started;
    summary_.initial_cost = total_cost();
    IterationRecord record{.cost = summary_.initial_cost};
    if (!descents_.empty()) record.radius = descents_.front().record().radius;
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
    descents_.resize(executable_.num_states(), Descent(executable_, rules_));
    return bound;
  }

  Expected<double> cost() {
    const IterationClock::Running running(clock_);
    if (auto started = start_again_if_changed(); !started) return fail(started.error());
    return total_cost();
  }

  SolverSummary finish() {
    end_all(Termination::Cancelled);
    try {
      const IterationClock::Running running(clock_);
      go_back();
      executable_.synchronize();
      clock_.collect(executable_);
    } catch (const DeviceError&) {
      if (failure_ == nullptr) throw;
      std::rethrow_exception(failure_);  // the first of them is the cause of the others
    }
    report();
    summary_.final_cost = total_cost();
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
    find_going();
    for (const std::size_t i : going_) descents_[i].begin_iteration(states_[i]);
    // What takes long on the host asks in between. The point is then as it was.
    const StopScope scope(stop_, clock_.deadline(options_.max_solver_time_in_seconds));
    try {
      if (is_going()) make_iteration();
    } catch (const Stopped&) {
      const auto why = interruption();
      if (!why) throw;
      end_all(*why);
    } catch (const DeviceError& failed) {
      failure_ = std::current_exception();
      end_all(Termination::DeviceFailed, failed.what());
      return false;
    }
    const bool goes_on = can_continue();
    look_for_overflow();
    return goes_on;
  }

  void make_iteration() {
    linearize();
    find_step();
    std::vector<std::size_t> undecided = going_;
    for (;;) {
      std::erase_if(undecided, [this](std::size_t i) {
        const bool is_decided = descents_[i].has_ended() || !descents_[i].look(states_[i]);
        set_work(states_[i], is_decided ? MemberWork::None : MemberWork::Trial);
        return is_decided;
      });
      if (undecided.empty()) break;
      evaluate_trial();
    }
    take_over();
    if (std::ranges::any_of(going_, [this](std::size_t i) { return made_step(descents_[i]); }))
      record_step();
  }

  static bool made_step(const Descent& descent) { return descent.step() != Descent::Step::None; }

  // Hands the device the options, makes the masks and computes the cost at the current unknowns.
  Expected<void> start() {
    states_.assign(descents_.size(), start_state(options_, rules_.vectors));
    for (SolverState& state : states_) set_work(state, MemberWork::None);
    going_ = touched_ = executable_.all_states();
    run_batch({.before = {Phase::Setup, Phase::Values, Phase::Cost}});
    clock_.collect(executable_);
    clock_.leave_iteration();
    for (std::size_t i = 0; i < descents_.size(); ++i) {
      if (descents_[i].start(states_[i])) continue;
      if (is_batch_) {
        descents_[i].end(Termination::NonFiniteStart);
        continue;
      }
      return fail(
          "the cost of '{}' at the {} is {}: a residual is not finite there. Look at the {} values "
          "of the unknowns and at the inputs",
          summary_.energy, has_changed_ ? "changed data" : "start",
          std::abs(descents_[i].energy_cost()), has_changed_ ? "current" : "start");
    }
    return {};
  }

  // Called after the data have changed: forgets what was known of the energy before.
  Expected<void> start_again_if_changed() {
    if (!has_changed_) return {};
    if (auto started = start(); !started) return started;
    has_changed_ = false;
    has_scale_ = false;
    for (Descent& descent : descents_) descent.forget();
    summary_.changed_cost = total_cost();
    return {};
  }

  bool is_damped() const { return options_.solver == SolverKind::LevenbergMarquardt; }

  bool is_going() const { return !std::ranges::all_of(descents_, &Descent::has_ended); }
  void find_going() {
    going_.clear();
    for (std::size_t i = 0; i < descents_.size(); ++i)
      if (!descents_[i].has_ended()) going_.push_back(i);
  }
  void end_all(Termination why, const std::string& cause = {}) {
    for (Descent& descent : descents_)
      if (!descent.has_ended()) descent.end(why, cause);
  }

  // Returns false, and says why, if there is no further iteration to make.
  bool can_continue() {
    if (!is_going()) return false;
    if (const auto why = interruption()) {
      end_all(*why);
    } else if (summary_.num_iterations >= options_.num_iterations) {
      end_all(Termination::MaxIterations);
    }
    return is_going();
  }

  // The reason to stop although there is work left: cancelled or out of time.
  std::optional<Termination> interruption() const {
    if (stop_.stop_requested() || is_stopped_) return Termination::Cancelled;
    const double limit = options_.max_solver_time_in_seconds;
    if (limit > 0 && clock_.seconds() > limit) return Termination::TimeLimit;
    return std::nullopt;
  }

  // What has ended takes part for the last time, with the acceptance of its last step.
  void run_batch(const Batch& batch) {
    executable_.run_batch(batch, states_, touched_);
    touched_ = going_;
  }
  std::vector<Phase> take_waiting() { return std::exchange(waiting_, {}); }
  // Must be called before anyone else may look at the unknowns.
  void run_waiting() {
    if (waiting_.empty() || failure_ != nullptr) return;
    if (is_batch_) executable_.write_states(states_, touched_);
    for (const Phase phase : take_waiting()) executable_.run(phase);
    for (const std::size_t i : touched_) at(states_[i], StateSlot::Chosen) = 0;
  }

  static void set_work(SolverState& state, MemberWork work) {
    at(state, StateSlot::Work) = static_cast<double>(work);
  }

  // The stored intermediates must be those of X: start() computes them there, an acceptance takes
  // over the trial point's.
  void linearize() {
    bool any = false;
    for (const std::size_t i : going_) {
      if (descents_[i].has_ended()) continue;
      const bool is_linearized = descents_[i].is_linearized();
      set_work(states_[i], is_linearized ? MemberWork::LinearSolve : MemberWork::Linearization);
      if (!is_linearized) descents_[i].linearize();
      any = any || !is_linearized;
    }
    if (!any) return;
    waiting_.push_back(Phase::Linearize);
    if (is_damped() && !std::exchange(has_scale_, true)) waiting_.push_back(Phase::SaveScale);
  }

  // The only place of an iteration where the host waits for the device, unless other lengths of a
  // step are tried.
  void find_step() {
    step_solver_.choose(summary_.iterations.back());
    evaluate_trial(
        step_solver_.begin(waiting_, states_, [this] { return interruption().has_value(); }));
  }

  // Runs what waits, the loop, and the trial points of the steps that they find.
  void evaluate_trial(std::optional<LinearLoop> loop = {}) {
    run_batch({.before = take_waiting(),
               .loop = std::move(loop),
               .after = {Phase::Retract, Phase::TrialValues, Phase::TrialCost}});
    clock_.collect(executable_);
  }

  void take_over() {
    // Members are chosen for one copy at a time.
    if (copy(Phase::Keep, [](const Descent& d) { return d.leaves_best(); }) && is_batch_)
      run_waiting();
    copy(Phase::Accept, [](const Descent& d) { return d.step() == Descent::Step::Accepted; });
  }

  // Has a phase copy the values of those that are chosen. Returns whether there are any.
  template <class IsChosen>
  bool copy(Phase phase, IsChosen is_chosen) {
    bool any = false;
    for (const std::size_t i : going_) {
      const bool chosen = is_chosen(descents_[i]);
      at(states_[i], StateSlot::Chosen) = chosen ? 1 : 0;
      any = any || chosen;
    }
    if (any) waiting_.push_back(phase);
    return any;
  }

  // Ends at the best point, if the solve left it. After a failure, which may have left out what was
  // to be taken over, looks at the cost again, if the device still answers.
  void go_back() {
    const double left = total([](const Descent& descent) { return descent.cost(); });
    going_ = touched_ = executable_.all_states();
    const bool goes_back =
        !has_changed_ && copy(Phase::GoBack, [](const Descent& d) { return d.has_left_best(); });
    if (goes_back) summary_.left_cost = left;
    if (!goes_back && failure_ == nullptr) return;
    std::vector<Phase> phases = take_waiting();
    phases.insert(phases.end(), {Phase::Values, Phase::Cost});
    run_batch({.before = std::move(phases)});
    for (std::size_t i = 0; i < descents_.size(); ++i) descents_[i].go_back(states_[i]);
  }

  // Of those that are finite.
  template <class Number>
  double total(Number number) const {
    double sum = 0;
    for (const Descent& descent : descents_)
      if (const double value = number(descent); std::isfinite(value) || !is_batch_) sum += value;
    return sum;
  }
  double total_cost() const {
    return total([](const Descent& descent) { return descent.energy_cost(); });
  }

  // Of a batch it is that of all steps together.
  void record_step() {
    IterationRecord record = is_batch_ ? record_of_batch() : descents_.front().record();
    record.iteration = summary_.num_iterations + 1;
    record.total_seconds = clock_.seconds();
    record.seconds = record.total_seconds - summary_.iterations.back().total_seconds;
    clock_.end_iteration(record.seconds);
    add(record);
  }

  IterationRecord record_of_batch() const {
    IterationRecord all{.cost = total_cost(), .accepted = false};
    for (const std::size_t i : going_) {
      const Descent& descent = descents_[i];
      if (!made_step(descent)) continue;
      const IterationRecord& one = descent.record();
      all.gradient_max = std::max(all.gradient_max, one.gradient_max);
      all.linear_iterations = std::max(all.linear_iterations, one.linear_iterations);
      all.failed_blocks += one.failed_blocks;
      if (!one.accepted) continue;
      all.accepted = true;
      all.cost_change += one.cost_change;
      all.step_norm = std::hypot(all.step_norm, one.step_norm);
    }
    return all;
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

  // When the last linearization gave no step, a product that overflows its halves may be why.
  void look_for_overflow() {
    for (const std::size_t i : going_) {
      Descent& descent = descents_[i];
      if (!descent.has_ended() || !descent.lacks_step() ||
          descent.termination() == Termination::Cancelled ||
          descent.termination() == Termination::TimeLimit || is_convergence(descent.termination()))
        continue;
      if (const auto overflow = find_half_overflow(executable_))
        descent.end(Termination::HalfOverflow, overflow->text());
    }
  }

  void report() {
    if (!is_batch_) return descents_.front().report(summary_);
    std::map<Termination, std::int64_t> endings;
    for (const Descent& descent : descents_) {
      summary_.members.push_back(descent.report());
      ++endings[summary_.members.back().termination];
    }
    summary_.end_batch(endings);
    summary_.initial_minimized_cost =
        total([](const Descent& descent) { return descent.initial_cost(); });
    summary_.final_minimized_cost = total([](const Descent& descent) { return descent.cost(); });
  }

  const Logger& log_ = logger("solve");
  Executable& executable_;
  bool is_batch_;
  SolverOptions options_;
  IterationCallback callback_;
  std::stop_token stop_;
  IterationWatcher watcher_;
  IterationClock clock_;
  SolverSummary summary_;
  bool is_stopped_ = false;   // true if the callback wants no further iteration
  bool has_changed_ = false;  // true if data were uploaded since the last start()
  bool has_scale_ = false;
  std::exception_ptr failure_;  // what ended the solve, if the device or a library failed

  // As last read, with what the host has changed since; the next batch writes them.
  std::vector<SolverState> states_;
  // Of descents_: those that had not ended when the iteration began, and those whose states the
  // next batch writes.
  std::vector<std::size_t> going_, touched_;
  // Phases that begin the next batch. Between iterations it is the acceptance of the step.
  std::vector<Phase> waiting_;

  StepSolver step_solver_;
  DescentRules rules_;
  std::vector<Descent> descents_;  // of the members of a batch, or the only one
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
